/** The database of the history is away for an hour of simulated time while ten jobs finish every second. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { createHistoryWrites } from '#controller/wiring/history-task.ts';
import { type Clock, systemClock } from '#runtime/time/clock.ts';
import { NOW } from '#test/support/builders/objects.ts';
import { requirePostgres } from '#test/support/processes/require-programs.ts';
import type { PostgresServer } from '#test/support/servers/postgres-server.ts';
import { createDatabase } from '#test/support/servers/test-database.ts';
import { until } from '#test/support/until.ts';
import { archiveWorld, finishedAt, PROJECT_UID } from '#test/unit/controller/history/archive-world.ts';

const HOUR_SECONDS = 3600;
const JOBS_PER_SECOND = 10;
const JOBS = HOUR_SECONDS * JOBS_PER_SECOND;
/** The hour takes ten seconds. */
const SPEED = 360;
const STEP_SECONDS = 36;

/** A clock that starts an hour before the time of the tests and runs faster than others. */
function fastClock(): Clock {
  const startMs = performance.now();
  function passedMs(): number {
    return (performance.now() - startMs) * SPEED;
  }
  return {
    monotonicMs: passedMs,
    date: () => new Date(NOW.getTime() - HOUR_SECONDS * 1000 + passedMs()),
    after: (delayMs, task) => systemClock.after(delayMs / SPEED, task),
  };
}

describe('PostgreSQL that is away for an hour, with ten finished jobs a second', function () {
  this.timeout(300_000);
  const resources = new AsyncDisposableStack();
  let server: PostgresServer;
  before(async function () {
    await requirePostgres(this);
    server = resources.use(await createDatabase());
  });
  after(() => resources.disposeAsync());

  async function stored() {
    await using database = server.connect('reader');
    const [row] = await database.query<Readonly<Record<string, number>>>({
      text: `SELECT (SELECT count(*) FROM zipjobs.jobs WHERE project_uid = $1) AS rows,
        (SELECT count(DISTINCT uid) FROM zipjobs.jobs) AS uids,
        (SELECT coalesce(sum(jobs), 0)::bigint FROM zipjobs.usage_hours) AS counted`,
      values: [PROJECT_UID],
    });
    return row;
  }

  it('has each of the 36,000 jobs once after it returns (G8)', async () => {
    await using database = server.connect('writer');
    const world = archiveWorld({}, { writes: createHistoryWrites(database), clock: fastClock() });
    const running = world.lead();
    await server.kill();
    for (let second = 0; second < HOUR_SECONDS; second += STEP_SECONDS) {
      for (let n = 0; n < STEP_SECONDS * JOBS_PER_SECOND; n += 1)
        world.put(`job-${second}-${n}`, finishedAt(HOUR_SECONDS - second), { uid: randomUUID() });
      await delay((STEP_SECONDS / SPEED) * 1000);
    }
    expect([world.archiver.size, world.statusWrites.length]).to.deep.equal([JOBS, 0]);
    await server.start();
    await until('all jobs to be archived', () => world.statusWrites.length >= JOBS, { limitMs: 240_000 });
    world.stop.abort();
    await running;
    expect(world.statusWrites).to.have.length(JOBS);
    expect(await stored()).to.deep.equal({ rows: JOBS, uids: JOBS, counted: JOBS });
  });
});
