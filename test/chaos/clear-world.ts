import { GROUP_VERSION, PLURALS } from '#crds/api-group.ts';
import { until } from '#test/support/until.ts';
import type { ChaosWorld } from './chaos-world.ts';
import { ignoreTargetGone } from './target-gone.ts';

/** Longer than the controller takes to recover and clean up a job that is deleted while it runs. */
const GONE_LIMIT_MS = 180_000;

/**
 * Deletes every ZipJob of a world, including those whose POST got no response, and restores its bucket, so
 * that one schedule does not affect the next.
 * @throws Error when an object is not deleted in time.
 */
export async function clearWorld(world: ChaosWorld): Promise<void> {
  for (const { metadata } of await world.zipJobs())
    await world.remove(`apis/${GROUP_VERSION}`, PLURALS.ZipJob, metadata.name).catch(ignoreTargetGone);
  await until('the deletion of the ZipJobs', async () => (await world.zipJobs()).length === 0, {
    limitMs: GONE_LIMIT_MS,
    intervalMs: 100,
  });
  await world.ownBucket.restore();
}
