/** What a schedule with a history database does: the absence of the database, and the reads after it. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { askApi } from '#test/support/clients/api-client.ts';
import { until } from '#test/support/until.ts';
import type { ChaosWorld } from './chaos-world.ts';
import { checkArchive, DATABASE_AWAY, UNKNOWN_ID } from './check-archive.ts';
import type { JobOutcome } from './check-job.ts';
import type { FaultOf, LiveFault } from './live-fault.ts';
import type { Violation } from './violation.ts';

const ASK_EVERY_MS = 1_000;
const LIMIT_MS = 30_000;

async function ask(world: ChaosWorld, uuid: string) {
  return askApi(await world.apiUrl(), {
    path: `/v1/zips/${uuid}`,
    token: world.project.token,
    signal: AbortSignal.timeout(LIMIT_MS),
  });
}

/** It is away for its whole time, also after the last job has finished: the deletions of jobs wait for it too. */
export function databaseAway(world: ChaosWorld, fault: FaultOf<'database-away'>): LiveFault {
  return {
    act: async (signal) => {
      const { archive, history } = world;
      if (archive === undefined) throw new Error('this world has no history database');
      await delay(fault.afterMs, undefined, { signal });
      await archive.leave(fault.how);
      history.note(DATABASE_AWAY + fault.how);
      try {
        for (const end = performance.now() + fault.ms; performance.now() < end; ) {
          // A missing response cannot be wrong.
          const response = await ask(world, randomUUID()).catch(() => undefined);
          if (response !== undefined) history.note(UNKNOWN_ID + String(response.status));
          await delay(ASK_EVERY_MS);
        }
      } finally {
        await archive.return(fault.how);
        history.note('the history database is back');
      }
    },
  };
}

/** The status of each job after its ZipJob was deleted; `absent` for 404. */
async function responsesOf(world: ChaosWorld, uuids: readonly string[]) {
  const found = new Map<string, string>();
  for (const uuid of uuids) {
    const { status, body } = await until(
      'a response of the API',
      async () => {
        const response = await ask(world, uuid);
        return (response.status === 200 || response.status === 404) && response;
      },
      { limitMs: LIMIT_MS, intervalMs: 300 },
    );
    found.set(uuid, status === 404 ? 'absent' : (body.data?.status ?? ''));
  }
  return found;
}

/** After all ZipJobs of the world were deleted. Nothing without a history database. */
export async function violationsInArchive(
  world: ChaosWorld,
  jobs: readonly Pick<JobOutcome, 'uuid'>[],
): Promise<readonly Violation[]> {
  const { archive, project, history } = world;
  if (archive === undefined) return [];
  const rows = await archive.rows(project.namespace);
  const stored = new Set(rows.map(({ id }) => id));
  return checkArchive(history.seen, {
    jobs,
    rows,
    counted: await archive.counted(project.namespace),
    reportedLost: await world.reportedLost(),
    responses: await responsesOf(
      world,
      jobs.map(({ uuid }) => uuid).filter((uuid) => stored.has(uuid)),
    ),
  });
}
