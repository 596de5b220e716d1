import { expect } from 'chai';
import { systemClock } from '#runtime/clock.ts';
import type { HistoryDatabase, Statement } from '#runtime/history/database.ts';
import type { HistoryJob } from '#runtime/history/history-job.ts';
import { createJobLists, type JobLists } from '#runtime/history/list-jobs.ts';
import { randomHistoryJobs, storeHistoryJobs, uuidOf } from '#test/support/builders/history-rows.ts';
import { requirePostgres } from '#test/support/processes/require-programs.ts';
import type { PostgresServer } from '#test/support/servers/postgres-server.ts';
import { createDatabase } from '#test/support/servers/test-database.ts';

const PROJECT = uuidOf(1, 1);
const HOUR_MS = 3_600_000;
const HOURS = 40;
const JOBS_OF_AN_HOUR = 140;
const FAILED = { projectUid: PROJECT, phases: ['Failed'] } as const;

/** Jobs of every second hour, three to seven days ago. Two of each hour failed, one of them at its start like another job. */
function sparseJobs(now: Date): readonly HistoryJob[] {
  const newest = Math.floor(now.getTime() / HOUR_MS - 72) * HOUR_MS;
  return randomHistoryJobs(1, HOURS * JOBS_OF_AN_HOUR, { now, days: 1 }).map((job, n): HistoryJob => {
    const place = n % JOBS_OF_AN_HOUR;
    const startMs = newest - Math.floor(n / JOBS_OF_AN_HOUR) * 2 * HOUR_MS;
    const isFailed = place === 1 || place === JOBS_OF_AN_HOUR - 1;
    return {
      ...job,
      projectUid: PROJECT,
      finishedAt: new Date(startMs + Math.floor(place / 2) * 30_000).toISOString().replace('.000Z', 'Z'),
      ...(isFailed
        ? { phase: 'Failed', reason: 'SourceNotFound' }
        : { phase: 'Succeeded', reason: 'Uploaded' }),
    };
  });
}

describe('a search for rare jobs', () => {
  const open = new AsyncDisposableStack();
  let server: PostgresServer;
  let reader: HistoryDatabase;
  let wanted: readonly string[];
  let statements: Statement[] = [];
  let lists: JobLists;

  before(async function () {
    await requirePostgres(this);
    server = open.use(await createDatabase());
    const jobs = sparseJobs(new Date());
    await using writer = server.connect('writer');
    await storeHistoryJobs(writer, jobs);
    wanted = jobs
      .filter(({ phase }) => phase === 'Failed')
      .toSorted((a, b) => (a.finishedAt === b.finishedAt ? 0 : a.finishedAt < b.finishedAt ? 1 : -1))
      .map(({ uid }) => uid);
    reader = open.use(server.connect('reader'));
    const database: Pick<HistoryDatabase, 'query'> = {
      query: (statement, signal) => {
        statements.push(statement);
        return reader.query(statement, signal);
      },
    };
    lists = createJobLists({ database, clock: systemClock, searchMs: 60_000 });
  });
  after(() => open.disposeAsync());
  beforeEach(() => {
    statements = [];
  });

  it('reads the hours in which they finished in few statements (G7)', async () => {
    const { jobs } = await lists.listJobs(FAILED, { limit: 20 });
    expect(jobs.map(({ uid }) => uid)).to.deep.equal(wanted.slice(0, 20));
    // The last day, and then 11 hours: some in the first two of the days before, and the others in the next eight.
    expect(statements.filter(({ text }) => text.includes('FROM zipjobs.jobs'))).to.have.length.at.most(3);
  });

  it('plans only the days that it reads (G7)', async () => {
    await lists.listJobs(FAILED, { limit: 20 });
    expect(statements).to.have.length.at.least(4);
    for (const { text, values = [] } of statements) {
      const plan = await reader.query({ text: `EXPLAIN ${text}`, values });
      expect(JSON.stringify(plan), text).to.not.contain('Subplans Removed');
    }
  });

  it('finds all of them, also if the hours have more jobs than one statement reads (G7)', async () => {
    for (const limit of [7, 25, 1_000]) {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await lists.listJobs(FAILED, { limit, cursor });
        found.push(...page.jobs.map(({ uid }) => uid));
        cursor = page.next;
      } while (cursor !== undefined);
      expect(found, `pages of ${limit}`).to.deep.equal(wanted);
    }
    const streamed: unknown[] = [];
    for await (const batch of lists.streamJobs(FAILED)) streamed.push(...batch.map(({ uid }) => uid));
    expect(streamed).to.deep.equal(wanted);
  });
});
