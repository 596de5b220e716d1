import { defined } from '../optional.ts';
import { listPages } from './list-pages.ts';
import { isOlderVersion } from './object-cache.ts';
import type { Parts } from './reflector-parts.ts';
import type { KubeObject } from './types.ts';

/** The newest version of the collection. Only one object is requested. */
async function newestVersion<T extends KubeObject>(
  { options }: Parts<T>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { kube, definition, namespace, labelSelector, fieldSelector } = options;
  const query = { pageSize: 1, signal, ...defined({ namespace, labelSelector, fieldSelector }) };
  for await (const { resourceVersion } of listPages(kube, definition, query)) return resourceVersion;
  return undefined;
}

/**
 * Makes the reflector list again if the server knows less than before, because etcd was restored from a snapshot. A watch from a
 * version of the future stays silent until the server reaches it: deleted objects would remain, and new ones would be invisible.
 * @throws KubeError
 */
export async function verifyVersion<T extends KubeObject>(
  parts: Parts<T>,
  signal: AbortSignal,
): Promise<void> {
  const { options, progress } = parts;
  const version = await newestVersion(parts, signal);
  progress.mustVerify = false;
  if (!isOlderVersion(version, progress.newest)) return;
  const facts = { kind: options.definition.kind, version, before: progress.newest };
  options.log.warn(facts, 'the API server knows an older version than before: listing again');
  progress.resourceVersion = undefined;
  progress.newest = version;
  progress.isRestored = true;
  progress.listReason = 'Restored';
}
