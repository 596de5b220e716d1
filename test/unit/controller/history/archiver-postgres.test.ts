/** The archiver with a real PostgreSQL that breaks at every step. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { lacksArchive } from '#controller/cluster/archive-state.ts';
import type { HistoryWrites } from '#controller/history/batch.ts';
import { createHistoryWrites } from '#controller/wiring/history-task.ts';
import type { HistoryDatabase } from '#runtime/history/database.ts';
import { type Clock, systemClock } from '#runtime/time/clock.ts';
import { ago } from '#test/support/builders/objects.ts';
import { finishedAs } from '#test/support/builders/zip-job-statuses.ts';
import { requirePostgres } from '#test/support/processes/require-programs.ts';
import { type Cut, startCuttingProxy } from '#test/support/servers/cutting-proxy.ts';
import type { PostgresServer } from '#test/support/servers/postgres-server.ts';
import { createDatabase } from '#test/support/servers/test-database.ts';
import { until } from '#test/support/until.ts';
import { forgetJobs } from '#test/support/worlds/archived-jobs.ts';
import { archiveWorld, PROJECT_UID, unavailable } from './archive-world.ts';

const JOBS = 100;
/** Waits are a hundred times shorter. */
const FAST: Clock = { ...systemClock, after: (delayMs, task) => systemClock.after(delayMs / 100, task) };

describe('the archiver with PostgreSQL', () => {
  const resources = new AsyncDisposableStack();
  let server: PostgresServer;
  before(async function () {
    await requirePostgres(this);
    server = resources.use(await createDatabase());
  });
  after(() => resources.disposeAsync());
  beforeEach(() => forgetJobs(server));

  const stops: AbortController[] = [];
  afterEach(() => {
    for (const stop of stops.splice(0)) stop.abort();
  });

  function worldOn(
    database: HistoryDatabase,
    change: (writes: HistoryWrites) => HistoryWrites = (writes) => writes,
  ) {
    const world = archiveWorld(
      { archiveBatchRows: 20 },
      { writes: change(createHistoryWrites(database)), clock: FAST },
    );
    function put(
      name: string,
      {
        seconds,
        state = 'Delivered',
        uid = randomUUID(),
      }: { seconds: number; state?: 'Delivered' | 'Pending'; uid?: string },
    ): string {
      const webhook = { state, deliveryId: 'msg_1', attempts: 1 } as const;
      const status = finishedAs('Succeeded', { finishedAt: ago(seconds), webhook });
      world.put(name, status, { uid });
      return uid;
    }
    function putAll(count: number): void {
      for (let n = 0; n < count; n += 1) put(`job-${n}`, { seconds: 10 + n * 60 });
    }
    function untilStored() {
      return until('all jobs to be archived', () => !world.zipJobs.all().some(lacksArchive), {
        limitMs: 50_000,
      });
    }
    stops.push(world.stop);
    return { ...world, put, putAll, untilStored };
  }

  interface Sums {
    readonly jobs: number;
    readonly names: number;
    readonly details: number;
    readonly counted: number;
  }
  async function sums(): Promise<Sums | undefined> {
    await using database = server.connect('reader');
    const [row] = await database.query<Sums>({
      text: `SELECT (SELECT count(*) FROM zipjobs.jobs WHERE project_uid = $1) AS jobs,
        (SELECT count(DISTINCT name) FROM zipjobs.jobs) AS names,
        (SELECT count(*) FROM zipjobs.job_details) AS details,
        (SELECT coalesce(sum(jobs), 0)::bigint FROM zipjobs.usage_hours) AS counted`,
      values: [PROJECT_UID],
    });
    return row;
  }
  function each(jobs: number): Sums {
    return { jobs, names: jobs, details: jobs, counted: jobs };
  }

  it('stores each job once, and updates the row of one whose webhook ends late', async () => {
    await using database = server.connect('writer');
    const world = worldOn(database);
    world.putAll(45);
    const uid = world.put('late', { seconds: 1_000, state: 'Pending' });
    const running = world.lead();
    async function stateOf(): Promise<unknown> {
      const text = 'SELECT webhook_state AS state FROM zipjobs.jobs WHERE uid = $1';
      return (await database.query<{ state: string }>({ text, values: [uid] }))[0]?.state;
    }
    await until('the row of the pending job', async () => (await stateOf()) === 'Pending');
    world.put('late', { seconds: 1_000, uid });
    await world.untilStored();
    expect(await stateOf()).to.equal('Delivered');
    expect(await sums()).to.deep.equal(each(46));
    expect(world.statusWrites).to.have.length(46);
    world.stop.abort();
    await running;
  });

  it('has one row and one count if its process dies between the insert and the condition (G8)', async () => {
    await using database = server.connect('writer');
    const world = worldOn(database);
    world.putAll(30);
    const killed = new AbortController();
    world.failStatus(() => {
      killed.abort();
      throw new Error('the process is gone');
    });
    await world.lead(killed.signal);
    expect((await sums())?.jobs).to.equal(20);
    expect(world.statusWrites).to.deep.equal([]);
    world.failStatus(() => undefined);
    const next = worldOn(database);
    for (const zipJob of world.zipJobs.all()) next.zipJobs.put(zipJob);
    const running = next.lead();
    await next.untilStored();
    expect(await sums()).to.deep.equal(each(30));
    next.stop.abort();
    await running;
  });

  for (const cut of ['request', 'response'] as const satisfies readonly Cut[])
    it(`loses nothing and counts nothing twice if each ${cut} of the protocol is lost once (G8)`, async () => {
      // The first connection is cut at its first message, the second at its second, and so on.
      await using proxy = await startCuttingProxy(server.port, (connection) => ({
        message: connection,
        cut,
      }));
      const env = { HISTORY_PORT: `${proxy.port}`, HISTORY_TLS: 'disable', HISTORY_POOL_SIZE: '1' };
      await using database = server.connect('writer', env);
      const world = worldOn(database);
      world.putAll(JOBS);
      const running = world.lead();
      await world.untilStored();
      world.stop.abort();
      await running;
      expect(proxy.cuts).to.be.greaterThan(12);
      expect(await sums()).to.deep.equal(each(JOBS));
    });

  it('loses nothing and counts nothing twice if the server is killed and started again at every write (G8)', async () => {
    await using database = server.connect('writer');
    const world = worldOn(database, (writes) => {
      let calls = 0;
      const write: HistoryWrites['write'] = async (entries) => {
        calls += 1;
        // The retry of the batch.
        if (calls % 2 === 0) return writes.write(entries);
        // Before the write, and after its commit, by turns.
        if (calls % 4 === 3) await writes.write(entries);
        await server.kill();
        await server.start();
        throw unavailable();
      };
      return { ...writes, write };
    });
    world.putAll(JOBS);
    const running = world.lead();
    await world.untilStored();
    world.stop.abort();
    await running;
    const { values } = await world.metrics.history.writeFailures.get();
    expect(values.reduce((sum, { value }) => sum + value, 0)).to.be.at.least(JOBS / 20);
    expect(await sums()).to.deep.equal(each(JOBS));
  });
});
