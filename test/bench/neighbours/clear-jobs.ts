import { setTimeout as delay } from 'node:timers/promises';
import { GROUP_VERSION, PLURALS } from '#crds/api-group.ts';
import type { KubeObject } from '#runtime/kube/types.ts';
import type { KubeUser } from '#test/support/clients/kube-user.ts';
import { inParallel } from '#test/support/in-parallel.ts';
import { until } from '#test/support/until.ts';

const AT_ONCE = 16;
const CLEAR_LIMIT_MS = 120_000;
const NONE: ReadonlySet<string> = new Set();

async function metadataOf(admin: KubeUser, path: string): Promise<readonly KubeObject['metadata'][]> {
  const { status, body, message } = await admin.request('GET', path);
  if (status !== 200) throw new Error(`GET ${path} returned ${status}: ${message}`);
  return (body as { readonly items: readonly KubeObject[] }).items.map(({ metadata }) => metadata);
}

/**
 * Deletes all jobs of a project except these, with their Jobs. Removes the finalizers itself: the controller would recover
 * each job first, and its work would count in the next measurement. Repeats, because the API completes creates whose client
 * has disconnected.
 */
export async function clearJobs(
  admin: KubeUser,
  namespace: string,
  keep: ReadonlySet<string> = NONE,
): Promise<void> {
  const zipJobs = `/apis/${GROUP_VERSION}/namespaces/${namespace}/${PLURALS.ZipJob}`;
  const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`;
  async function isEmpty(): Promise<boolean> {
    const found = (await metadataOf(admin, zipJobs)).filter(({ name }) => !keep.has(name));
    await inParallel(found.length, AT_ONCE, async (index) => {
      const path = `${zipJobs}/${found[index]?.name}`;
      await admin.request('DELETE', path);
      await admin.request('PATCH', path, { body: { metadata: { finalizers: null } } });
    });
    await admin.request('DELETE', `${jobs}?propagationPolicy=Background`);
    if (found.length === 0 && (await metadataOf(admin, jobs)).length === 0) return true;
    await delay(500);
    return false;
  }
  await until(`no job in ${namespace}`, isEmpty, { limitMs: CLEAR_LIMIT_MS });
}
