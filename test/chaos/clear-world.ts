import { GROUP_VERSION, PLURALS } from '#crds/api-group.ts';
import { until } from '#test/support/until.ts';
import type { ChaosWorld } from './chaos-world.ts';
import { ignoreLate } from './late.ts';

/** More than the controller takes for the end of a job that was deleted on its way, settled and swept. */
const GONE_LIMIT_MS = 180_000;

/**
 * Removes every ZipJob of a world, also those of which no caller was told, and brings back its bucket: what one schedule
 * leaves would be held against the next. @throws Error when something does not go.
 */
export const clearWorld = async (world: ChaosWorld): Promise<void> => {
  for (const { metadata } of await world.zipJobs())
    await world.remove(`apis/${GROUP_VERSION}`, PLURALS.ZipJob, metadata.name).catch(ignoreLate);
  await until('the deleted ZipJobs to go', async () => (await world.zipJobs()).length === 0, {
    limitMs: GONE_LIMIT_MS,
    intervalMs: 100,
  });
  await world.ownBucket.restore();
};
