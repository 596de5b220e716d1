/** Which indexes and months a page of the list reads, with the statistics of tables that have many jobs. */
import { expect } from 'chai';
import type { HistoryDatabase } from '#runtime/history/database.ts';
import type { JobFilter } from '#runtime/history/job-filter.ts';
import { createJobLists, type JobPage } from '#runtime/history/list-jobs.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { uuidOf } from '#test/support/builders/history-rows.ts';
import { requirePostgres } from '#test/support/processes/require-programs.ts';
import { type ExplainedStatement, explainStatements } from '#test/support/servers/explain-statements.ts';
import { createDatabase } from '#test/support/servers/test-database.ts';

const [USUAL, FAILING] = [uuidOf(1, 1), uuidOf(1, 2)];
const PAGE = 25;

/**
 * Two projects with a job each half an hour of 100 days. All jobs of the first succeeded, but for one in a thousand. All of the second
 * failed for one reason, which is so as frequent in the table as success.
 */
const FILL = `
INSERT INTO zipjobs.jobs (finished_at, project_uid, uid, id, cluster_uid, namespace, name, created_at, phase, reason, service, bucket,
  key, files, bytes, created_by)
SELECT now() - n * interval '30 minutes', p, gen_random_uuid(), gen_random_uuid(), p, 'a', 'zip-' || n, now(),
  CASE WHEN p = '${FAILING}' THEN 'Failed' WHEN n % 1000 = 900 THEN 'Cancelled' ELSE 'Succeeded' END,
  CASE WHEN p = '${FAILING}' THEN 'SourceNotFound' WHEN n % 1000 = 900 THEN 'Cancelled' ELSE 'Uploaded' END,
  's3', 'bucket-' || right(p::text, 1) || CASE WHEN n % 1000 = 900 THEN '-rare' ELSE '' END, 'customers/' || n || '.zip', 1, 1, 'importer'
FROM generate_series(0, 4799) AS n CROSS JOIN unnest(ARRAY['${USUAL}', '${FAILING}']::uuid[]) AS p`;

/** PostgreSQL can read a month with few jobs by another index. At its beginning, the current month has few. */
const DROP_MONTHS_WITH_FEW_JOBS = `
DO $$ DECLARE month regclass; has_few boolean; BEGIN
  FOR month IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'zipjobs.jobs'::regclass LOOP
    EXECUTE format('SELECT count(*) < 1000 FROM %s', month) INTO has_few;
    IF has_few THEN EXECUTE format('DROP TABLE %s', month); END IF;
  END LOOP;
END $$`;

describe('a page of the history', () => {
  const open = new AsyncDisposableStack();
  let reader: HistoryDatabase;
  before(async function () {
    await requirePostgres(this);
    const server = open.use(await createDatabase());
    await using owner = await server.open('owner');
    await owner.query(
      `SELECT zipjobs.make_partitions(current_date - 100, current_date); ${FILL}; ANALYZE zipjobs.jobs`,
    );
    await owner.query(DROP_MONTHS_WITH_FEW_JOBS);
    reader = open.use(server.connect('reader'));
  });
  after(() => open.disposeAsync());

  async function explain(
    filter: Omit<JobFilter, 'projectUid'>,
    projectUid = USUAL,
  ): Promise<{ readonly page: JobPage; readonly plans: readonly ExplainedStatement[] }> {
    const { database, plans } = explainStatements(reader);
    const lists = createJobLists({ database, clock: systemClock, searchMs: 60_000 });
    const page = await lists.listJobs({ projectUid, ...filter }, { limit: PAGE });
    return { page, plans };
  }
  async function anyJob(): Promise<{ readonly id: string; readonly key: string }> {
    const text = 'SELECT id, key FROM zipjobs.jobs WHERE project_uid = $1 ORDER BY finished_at LIMIT 1';
    const [job] = await reader.query<{ readonly id: string; readonly key: string }>({
      text,
      values: [USUAL],
    });
    return job ?? { id: '', key: '' };
  }

  /** Filter, the number of its jobs on the first page, and the index. */
  const searches: Readonly<
    Record<string, readonly [() => Promise<Partial<JobFilter>> | Partial<JobFilter>, number, string]>
  > = {
    'all jobs': [() => ({}), PAGE, 'pkey'],
    'an id': [async () => ({ id: (await anyJob()).id }), 1, 'project_uid_id_idx'],
    'the start of an id': [
      async () => ({ idPrefix: (await anyJob()).id.slice(0, 8) }),
      1,
      'project_uid_id_idx',
    ],
    'an unknown id': [() => ({ id: uuidOf(9, 9) }), 0, 'project_uid_id_idx'],
    'a whole key': [async () => ({ key: (await anyJob()).key }), 1, 'key'],
    'an unknown key': [() => ({ key: 'none' }), 0, 'key'],
    'a rare phase': [() => ({ phases: ['Cancelled'] }), 4, 'phase'],
    'the usual phase': [() => ({ phases: ['Succeeded'] }), PAGE, 'pkey'],
    'the usual reason': [() => ({ reasons: ['Uploaded'] }), PAGE, 'pkey'],
    'the usual phase and another': [() => ({ phases: ['Succeeded', 'Cancelled'] }), PAGE, 'pkey'],
    'a phase that only other projects have': [() => ({ phases: ['Failed'] }), 0, 'phase'],
    'two phases': [() => ({ phases: ['Failed', 'Cancelled'] }), 4, 'phase'],
    'a rare reason': [() => ({ reasons: ['Cancelled'] }), 4, 'reason'],
    'a reason that only other projects have': [() => ({ reasons: ['SourceNotFound'] }), 0, 'reason'],
    'a reason that never occurs': [() => ({ reasons: ['Never'] }), 0, 'reason'],
    'a rare bucket': [() => ({ bucket: { service: 's3', bucketName: 'bucket-1-rare' } }), 4, 'service'],
    'a bucket without jobs': [() => ({ bucket: { service: 'r2', bucketName: 'bucket-1' } }), 0, 'service'],
  };
  for (const [name, [filterOf, found, index]] of Object.entries(searches))
    it(`of ${name} is one statement that reads an index of matching jobs (G7)`, async () => {
      const { page, plans } = await explain(await filterOf());
      expect(page.jobs).to.have.length(found);
      expect(page.next !== undefined).to.equal(found === PAGE);
      expect(plans).to.have.length(1);
      const [plan] = plans;
      expect(plan?.scans).to.deep.equal(new Set(['Index Scan']));
      expect(plan?.indexes).to.deep.equal(new Set([index]));
    });

  for (const [name, filter] of [
    ['all jobs', {}],
    ['the usual phase', { phases: ['Succeeded'] }],
  ] as const)
    it(`of ${name} reads only the months whose jobs it shows (G7)`, async () => {
      const { page, plans } = await explain(filter);
      const months = page.jobs.map(({ finishedAt }) => `jobs_${finishedAt.slice(0, 7).replace('-', '')}`);
      const [first = '', last = ''] = [months.at(-1), months[0]];
      const read = plans[0]?.partitions ?? [];
      expect(read).to.include.members([first, last]);
      // The job that says that there is a next page.
      expect(read.length).to.be.at.most(new Set(months).size + 1);
      expect(read.length).to.be.below(4);
    });

  it('of a reason and a bucket reads the index of the reason only (G7)', async () => {
    const filter = { reasons: ['SourceNotFound'], bucket: { service: 's3', bucketName: 'bucket-2' } };
    const { page, plans } = await explain(filter, FAILING);
    expect(page.jobs).to.have.length(PAGE);
    expect(plans).to.have.length(1);
    expect(plans[0]?.indexes).to.deep.equal(new Set(['reason']));
  });

  it('without an index reads the list in the order of the primary key (G7)', async () => {
    const { page, plans } = await explain({ key: 'customers/4290*' });
    expect(page.jobs).to.have.length(1);
    expect(plans.length).to.be.above(1);
    for (const { indexes } of plans) expect(indexes).to.deep.equal(new Set(['pkey']));
  });
});
