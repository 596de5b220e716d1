import { expect } from 'chai';
import { ANNOTATIONS } from '#crds/api-group.ts';
import { PHASES, TERMINAL_PHASES, type ZipJobStatus } from '#crds/zip-job.ts';
import { countJobs, findJobs, matcherOf } from '#dashboard/jobs/find-jobs.ts';
import { readJobQuery } from '#dashboard/jobs/job-query.ts';
import { createJobOrder } from '#dashboard/live/job-order.ts';
import { type ListedJob, toListedJob } from '#dashboard/live/listed-job.ts';
import { clusterFigures } from '#dashboard/overview/period-figures.ts';
import { DAY } from '#dashboard/overview/periods.ts';
import { ago, aZipJob, NAMESPACE, NOW } from '#test/support/builders/objects.ts';

const COUNT = 10_000;

function nameOf(n: number): string {
  return `zip-${String(n).padStart(5, '0')}`;
}

function phaseOf(n: number) {
  return PHASES[n % PHASES.length] ?? 'Queued';
}

function isFinal(n: number): boolean {
  return TERMINAL_PHASES.some((phase) => phase === phaseOf(n));
}

/** Job n was created n minutes ago and, in a final phase, finished n seconds ago; every seventh has the next phase, every second the other bucket, every fifth a token. */
function jobOf(n: number): ListedJob {
  return toListedJob(
    aZipJob({
      metadata: {
        name: nameOf(n),
        creationTimestamp: ago(n * 60),
        annotations: n % 5 === 0 ? { [ANNOTATIONS.createdBy]: 'shop' } : {},
      },
      spec: { bucketRef: { name: n % 2 === 0 ? 's3-even' : 's3-odd' }, key: `Out/${n}.zip` },
      status: {
        phase: phaseOf(n),
        reason: n % 3 === 0 ? 'SlotsTaken' : 'Queued',
        ...(isFinal(n) && { finishedAt: ago(n) }),
      },
    }),
  );
}

/** 10,000 jobs, with a counter of the jobs that are read. */
function createFixture() {
  const jobs = new Map<string, ListedJob>();
  const order = createJobOrder();
  for (let n = COUNT - 1; n >= 0; n -= 1) {
    const object = jobOf(n);
    const key = `${NAMESPACE}/${object.metadata.name}`;
    jobs.set(key, object);
    order.note({ kind: 'set', key, object, before: undefined });
  }
  let reads = 0;
  const zipJobs = {
    get: (key: string) => {
      reads += 1;
      return jobs.get(key);
    },
  };
  function wantedOf(query: string) {
    return {
      namespace: NAMESPACE,
      query: readJobQuery(new URLSearchParams(query)).query,
      now: NOW,
    };
  }
  return {
    count: (query: string, n: number) => {
      reads = 0;
      const place = { at: ago(n * 60), name: nameOf(n) };
      return { ...countJobs({ order, zipJobs }, wantedOf(query), place), reads };
    },
    find: (query: string) => {
      reads = 0;
      const { jobs: found, ...rest } = findJobs({ order, zipJobs }, wantedOf(query));
      return { ...rest, names: found.map(({ metadata }) => metadata.name), reads };
    },
  };
}

describe('findJobs with 10,000 jobs', () => {
  const fixture = createFixture();

  it('reads only the jobs of the page without a filter', () => {
    const first = fixture.find('');
    expect(first).to.include({ total: COUNT, page: 1, pages: 400, reads: 25 });
    expect([first.names[0], first.names.at(-1)]).to.deep.equal(['zip-00000', 'zip-00024']);
    const last = fixture.find('page=400');
    expect(last).to.include({ page: 400, reads: 25 });
    expect(last.names.at(-1)).to.equal('zip-09999');
  });

  it('returns the last page for a page past the end', () => {
    expect(fixture.find('page=99999')).to.include({ page: 400, reads: 25 });
  });

  it('reads each job of the period once, and no other', () => {
    expect(fixture.find('within=1h')).to.include({ total: 61, pages: 3, reads: 61 });
    expect(fixture.find('within=24h&bucket=s3-even')).to.include({ total: 721, reads: 1_441 });
    expect(fixture.find('state=Failed').reads).to.equal(COUNT);
  });

  it('finds the jobs that finished in a time, whenever they were created', () => {
    function found(query: string) {
      const { total, names } = fixture.find(query);
      return { total, newest: names[0] };
    }
    function minute(minutes: number): string {
      return ago(minutes * 60).slice(0, 16);
    }
    function within(first: number, last: number) {
      const all = Array.from({ length: last - first + 1 }, (_, index) => first + index).filter(isFinal);
      return { total: all.length, newest: nameOf(all[0] ?? 0) };
    }
    expect(found(`finished-from=${minute(20)}`)).to.deep.equal(within(0, 1_200));
    expect(found(`finished-to=${minute(20)}`)).to.deep.equal(within(1_201, COUNT - 1));
    expect(found(`finished-from=${minute(20)}&finished-to=${minute(10)}`)).to.deep.equal(within(601, 1_200));
  });

  it('finds part of a name or key, case-insensitively', () => {
    expect(fixture.find('q=ZIP-00777').names).to.deep.equal(['zip-00777']);
    expect(fixture.find('q=out/4321.z').names).to.deep.equal(['zip-04321']);
    expect(fixture.find('q=out/4321.*').names).to.deep.equal(['zip-04321']);
    expect(fixture.find('q=ut/4321.*').names).to.deep.equal([]);
    expect(fixture.find('q=no+such+job')).to.include({ total: 0, page: 1, pages: 1 });
  });

  it('finds a job that the API did not create by the ID that the list shows (UI23)', () => {
    const uid = '0f9d7a52-6f0e-4f1c-9a55-1d1a2b3c4d51';
    function matches(q: string, name: string): boolean {
      const job = toListedJob(aZipJob({ metadata: { name, uid } }));
      const { query } = readJobQuery(new URLSearchParams({ q }));
      return matcherOf({ namespace: NAMESPACE, query, now: NOW })(job);
    }
    expect([uid, uid.toUpperCase(), '0f9d7a52', 'NIGHT'].map((q) => matches(q, 'nightly'))).to.deep.equal([
      true,
      true,
      true,
      true,
    ]);
    // The list shows the ID in its name.
    expect(matches(uid, 'zip-6f1c1f0e-0000-4000-8000-000000000000')).to.equal(false);
  });

  it('finds the jobs behind each number of the failures by reason (UI38)', () => {
    const statuses: readonly ZipJobStatus[] = [
      { phase: 'Failed', reason: 'Failed', failure: { code: 'SourceNotFound', retriable: false } },
      { phase: 'Failed', reason: 'Failed' },
      { phase: 'Failed' },
    ];
    const jobs = statuses.map((status, n) =>
      toListedJob(
        aZipJob({ metadata: { name: `job-${n}`, uid: `${n}` }, status: { ...status, finishedAt: ago(1) } }),
      ),
    );
    const { failures } = clusterFigures(jobs, DAY, NOW);
    const listed = failures.map(({ reason }) => {
      const { query } = readJobQuery(new URLSearchParams({ state: 'Failed', reason }));
      return { reason, count: jobs.filter(matcherOf({ namespace: NAMESPACE, query, now: NOW })).length };
    });
    expect(failures).to.have.length(3);
    expect(listed).to.deep.equal(failures);
  });

  it('finds the jobs with any of several states or reasons, and selected ones by the start of their IDs', () => {
    expect(fixture.find('state=Failed,Queued').total).to.equal(
      Array.from({ length: COUNT }, (_, n) => phaseOf(n)).filter((one) => ['Failed', 'Queued'].includes(one))
        .length,
    );
    expect(fixture.find('id=0004,zip-00777').names).to.deep.equal([
      ...Array.from({ length: 10 }, (_, n) => nameOf(40 + n)),
      'zip-00777',
    ]);
  });

  it('finds the jobs of today, and those that finished today', () => {
    // NOW is 12:00.
    expect(fixture.find('within=today').total).to.equal(721);
    expect(fixture.find('finished-within=today').total).to.equal(
      Array.from({ length: COUNT }, (_, n) => n).filter(isFinal).length,
    );
    expect(fixture.find('finished-within=1h').total).to.equal(
      Array.from({ length: 3_601 }, (_, n) => n).filter(isFinal).length,
    );
  });

  it('sorts by a column, and reads only the page for the oldest jobs first', () => {
    const oldest = fixture.find('sort=created&page=2');
    expect(oldest).to.include({ total: COUNT, reads: 25 });
    expect([oldest.names[0], oldest.names.at(-1)]).to.deep.equal([nameOf(9_974), nameOf(9_950)]);
    expect(fixture.find('sort=created&page=400').names.at(-1)).to.equal(nameOf(0));
    expect(fixture.find('sort=key&q=out/12').names.slice(0, 3)).to.deep.equal([12, 120, 1_200].map(nameOf));
    expect(fixture.find('sort=-key').names[0]).to.equal(nameOf(9_999));
    expect(fixture.find('sort=-key').reads).to.equal(COUNT);
  });

  it('combines all filters', () => {
    const { names, total } = fixture.find('state=Failed&bucket=s3-odd&q=out/&within=24h&page=2');
    const expected = Array.from({ length: 1_441 }, (_, n) => n).filter((n) => n % 7 === 5 && n % 2 === 1);
    expect(total).to.equal(expected.length);
    expect(names[0]).to.equal(`zip-${String(expected[25]).padStart(5, '0')}`);
  });

  it('filters by reason and token', () => {
    // Every phase but Succeeded has a reason.
    const reasons = Array.from({ length: COUNT }, (_, n) => n).filter(
      (n) => n % 3 === 0 && phaseOf(n) !== 'Succeeded',
    );
    expect(fixture.find('reason=SlotsTaken').total).to.equal(reasons.length);
    expect(fixture.find('token=shop').total).to.equal(COUNT / 5);
    expect(fixture.find('token=other').total).to.equal(0);
  });

  it('filters by a time range: the start is included, the end is not', () => {
    // NOW is 12:00.
    const { names } = fixture.find('from=2026-05-04T11:30&to=2026-05-04T11:33');
    expect(names).to.deep.equal([28, 29, 30].map(nameOf));
    expect(fixture.find('within=1h&to=2026-05-04T11:01').names).to.deep.equal([nameOf(60)]);
    expect(fixture.find('from=2026-05-04T11:59&within=1h').total).to.equal(2);
  });

  it('counts the matching jobs, and those of them that are newer than a place', () => {
    expect(fixture.count('', 10)).to.deep.equal({ total: COUNT, newer: 10, reads: 0 });
    expect(fixture.count('bucket=s3-odd', 10)).to.include({ total: COUNT / 2, newer: 5 });
    expect(fixture.count('within=1h&bucket=s3-odd', 10)).to.deep.equal({ total: 30, newer: 5, reads: 61 });
  });

  it('counts a job that no controller has seen as queued and unfinished', () => {
    const { total } = fixture.find('state=unfinished');
    expect(total).to.equal(Array.from({ length: COUNT }, (_, n) => n % 7).filter((rest) => rest < 4).length);
  });
});
