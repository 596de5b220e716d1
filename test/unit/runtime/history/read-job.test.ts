import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { ZipJob } from '#crds/zip-job.ts';
import { archivedForm } from '#runtime/history/archived-form.ts';
import type { HistoryDatabase } from '#runtime/history/database.ts';
import { createReadJob, type ReadJob } from '#runtime/history/read-job.ts';
import { aZipJob, UUID } from '#test/support/builders/objects.ts';
import { finishedAs } from '#test/support/builders/zip-job-statuses.ts';
import { requirePostgres } from '#test/support/processes/require-programs.ts';
import { archiveJob } from '#test/support/servers/archive-job.ts';
import { explainStatements } from '#test/support/servers/explain-statements.ts';
import type { PostgresServer } from '#test/support/servers/postgres-server.ts';
import { createDatabase } from '#test/support/servers/test-database.ts';

const DAY_MS = 24 * 3_600_000;

function daysAgo(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Ended so many days ago, as an object of its own. */
function endedJob(days: number, metadata = '{}'): ZipJob {
  return aZipJob({
    metadata: { uid: randomUUID() },
    spec: { metadata },
    status: finishedAs('Succeeded', { finishedAt: daysAgo(days) }),
  });
}

describe('createReadJob', () => {
  const resources = new AsyncDisposableStack();
  let server: PostgresServer;
  let writer: HistoryDatabase;
  let reader: HistoryDatabase;
  let readJob: ReadJob;
  before(async function () {
    await requirePostgres(this);
    server = resources.use(await createDatabase());
    writer = resources.use(server.connect('writer'));
    reader = resources.use(server.connect('reader'));
    readJob = createReadJob(reader);
  });
  after(() => resources.disposeAsync());

  for (const [name, days] of [
    ['a job of today', 0],
    ['a job of the last year', 300],
  ] as const)
    it(`returns the archived form of ${name}, with its metadata exactly as sent`, async () => {
      const projectUid = randomUUID();
      const job = endedJob(days, '{"n":12345678901234567890,"2":"b","1":"\\u0000","s":"\\ud800"}');
      await archiveJob(writer, job, projectUid);
      const read = await readJob({ projectUid, id: UUID });
      expect(read).to.deep.equal(archivedForm(job));
      expect(read?.spec.metadata).to.equal(job.spec.metadata);
    });

  it('returns nothing for an unknown id, and for the job of another project', async () => {
    const projectUid = randomUUID();
    await archiveJob(writer, endedJob(1), projectUid);
    expect(await readJob({ projectUid, id: randomUUID() })).to.equal(undefined);
    expect(await readJob({ projectUid: randomUUID(), id: UUID })).to.equal(undefined);
    expect(await readJob({ projectUid, id: UUID })).to.not.equal(undefined);
  });

  it('returns the newest of several jobs with one id', async () => {
    const projectUid = randomUUID();
    for (const days of [2, 1, 3]) await archiveJob(writer, endedJob(days, `{"days":${days}}`), projectUid);
    expect((await readJob({ projectUid, id: UUID }))?.spec.metadata).to.equal('{"days":1}');
    const other = randomUUID();
    for (const days of [31, 30, 32]) await archiveJob(writer, endedJob(days, `{"days":${days}}`), other);
    expect((await readJob({ projectUid: other, id: UUID }))?.spec.metadata).to.equal('{"days":30}');
  });

  it('finds any id in one statement, with an index of each month, and reads the details of one (G7)', async () => {
    const [projectUid, days] = [randomUUID(), 95];
    await using writing = await server.open('writer');
    await writing.query(`SELECT zipjobs.make_partitions(current_date - ${days}, current_date)`);
    await archiveJob(writer, endedJob(days), projectUid);
    const explained = explainStatements(reader);
    await createReadJob(explained.database)({ projectUid, id: UUID });
    const [plan, ...more] = explained.plans;
    expect(more).to.deep.equal([]);
    const details = plan?.partitions.filter((name) => name.startsWith('job_details_'));
    expect(details).to.deep.equal([`job_details_${daysAgo(days).slice(0, 7).replace('-', '')}`]);
    expect(plan?.scans).to.deep.equal(new Set(['Index Scan']));
  });

  it('reads no details for an unknown id (G7)', async () => {
    const explained = explainStatements(reader);
    await createReadJob(explained.database)({ projectUid: randomUUID(), id: randomUUID() });
    expect(explained.plans.length).to.equal(1);
    expect(explained.plans[0]?.partitions).to.not.deep.equal([]);
    expect(explained.plans[0]?.partitions.filter((name) => !/^jobs_\d+$/.test(name))).to.deep.equal([]);
  });
});
