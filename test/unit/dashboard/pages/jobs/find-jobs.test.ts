import { expect } from 'chai';
import { PHASES } from '#crds/zip-job.ts';
import { createJobOrder } from '#dashboard/live/job-order.ts';
import { type ListedJob, toListedJob } from '#dashboard/live/listed-job.ts';
import { findJobs } from '#dashboard/pages/jobs/find-jobs.ts';
import { readJobQuery, writeJobQuery } from '#dashboard/pages/jobs/job-query.ts';
import { ago, aZipJob, NAMESPACE, NOW } from '#test/support/builders/objects.ts';

const COUNT = 10_000;

/** Job n was created n minutes ago; every seventh has the next phase, every second the other bucket. */
const jobOf = (n: number): ListedJob =>
  toListedJob(
    aZipJob({
      metadata: { name: `zip-${String(n).padStart(5, '0')}`, creationTimestamp: ago(n * 60) },
      spec: { bucketRef: { name: n % 2 === 0 ? 's3-even' : 's3-odd' }, key: `Out/${n}.zip` },
      status: { phase: PHASES[n % PHASES.length] ?? 'Queued' },
    }),
  );

/** 10,000 jobs, with a counter of the jobs that are read. */
const createFixture = () => {
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
  return {
    find: (query: string) => {
      reads = 0;
      const wanted = { namespace: NAMESPACE, query: readJobQuery(new URLSearchParams(query)), now: NOW };
      const { jobs: found, ...rest } = findJobs({ order, zipJobs }, wanted);
      return { ...rest, names: found.map(({ metadata }) => metadata.name), reads };
    },
  };
};

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

  it('finds part of a name or key, case-insensitively', () => {
    expect(fixture.find('q=ZIP-00777').names).to.deep.equal(['zip-00777']);
    expect(fixture.find('q=out/4321.z').names).to.deep.equal(['zip-04321']);
    expect(fixture.find('q=out/4321.*').names).to.deep.equal([]);
    expect(fixture.find('q=no+such+job')).to.include({ total: 0, page: 1, pages: 1 });
  });

  it('combines all filters', () => {
    const { names, total } = fixture.find('state=Failed&bucket=s3-odd&q=out/&within=24h&page=2');
    const expected = Array.from({ length: 1_441 }, (_, n) => n).filter((n) => n % 7 === 5 && n % 2 === 1);
    expect(total).to.equal(expected.length);
    expect(names[0]).to.equal(`zip-${String(expected[25]).padStart(5, '0')}`);
  });

  it('counts a job that no controller has seen as queued and unfinished', () => {
    const { total } = fixture.find('state=unfinished');
    expect(total).to.equal(Array.from({ length: COUNT }, (_, n) => n % 7).filter((rest) => rest < 4).length);
  });
});

describe('readJobQuery', () => {
  it('ignores unknown values', () => {
    const query = readJobQuery(
      new URLSearchParams(`state=Gone&within=1y&page=-3&q=${'x'.repeat(2_000)}&bucket=+b+`),
    );
    expect(query).to.deep.equal({ text: 'x'.repeat(1_024), state: '', bucket: 'b', within: '', page: 1 });
  });

  for (const page of ['0', '1e3', '1.5', '', 'abc', '1234567'])
    it(`reads page ${JSON.stringify(page)} as the first`, () => {
      expect(readJobQuery(new URLSearchParams({ page })).page).to.equal(1);
    });

  it('reads what writeJobQuery wrote', () => {
    const query = { text: 'a&b=c ö', state: 'unfinished', bucket: 's3-a', within: '7d', page: 3 } as const;
    expect(readJobQuery(new URLSearchParams(writeJobQuery(query)))).to.deep.equal(query);
    expect(writeJobQuery({ text: '', state: '', bucket: '', within: '', page: 1 })).to.equal('');
  });
});
