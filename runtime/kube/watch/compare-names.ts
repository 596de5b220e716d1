import { toError } from '../../errors.ts';
import { pause } from '../../time/clock.ts';
import { isOlderVersion } from '../cache/object-cache.ts';
import { listPages } from '../client/list-pages.ts';
import { type KubeObject, namespaceOf, type ObjectKey, objectKey } from '../types.ts';
import { identityOf } from './ingest.ts';
import { applyEvent } from './open-watch.ts';
import { type Parts, queryOf } from './reflector-parts.ts';

function versionIn<T extends KubeObject>({ cache }: Parts<T>, key: ObjectKey): string | undefined {
  return (cache.get(key) ?? cache.identity(key))?.metadata.resourceVersion;
}

/** True if the cache missed a change of the object. What does not fit into the cache is not missed. */
function isMissed<T extends KubeObject>(parts: Parts<T>, { metadata }: KubeObject, key: ObjectKey): boolean {
  const known = versionIn(parts, key);
  if (known === undefined) return !parts.cache.isIncomplete(namespaceOf(key));
  return isOlderVersion(known, metadata.resourceVersion);
}

interface Difference {
  /** Version of the list. */
  readonly version: string;
  /** Objects that are newer than in the cache, or not in it. */
  readonly missed: readonly KubeObject[];
  /** Keys of the cache that are not in the list. */
  readonly unlisted: ReadonlySet<ObjectKey>;
}

async function difference<T extends KubeObject>(parts: Parts<T>, signal: AbortSignal): Promise<Difference> {
  const { options, cache } = parts;
  const unlisted = new Set([...cache.keys(), ...cache.identityKeys()]);
  const missed: KubeObject[] = [];
  let version = '';
  const query = { ...queryOf(parts, signal), metadataOnly: true };
  for await (const page of listPages(options.kube, options.definition, query)) {
    version = page.resourceVersion;
    for (const item of page.items) {
      const listed = identityOf(item);
      const key = objectKey(listed);
      unlisted.delete(key);
      if (isMissed(parts, listed, key)) missed.push(listed);
    }
  }
  return { version, missed, unlisted };
}

/** Reads one object as a list, so that no other permission is needed, and its selectors apply. */
async function readAgain<T extends KubeObject>(
  parts: Parts<T>,
  { metadata: { namespace, name, uid } }: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  const { options } = parts;
  const selectors = new Set([options.fieldSelector ?? `metadata.name=${name}`, `metadata.name=${name}`]);
  const query = {
    ...queryOf(parts, signal),
    ...(namespace !== '' && { namespace }),
    fieldSelector: [...selectors].join(','),
  };
  for await (const { items, resourceVersion } of listPages(options.kube, options.definition, query)) {
    for (const object of items) applyEvent(parts, { type: 'ADDED', object });
    if (items.length > 0) continue;
    const object = { metadata: { namespace, name, uid, resourceVersion } };
    applyEvent(parts, { type: 'DELETED', object });
  }
}

function dropUnlisted<T extends KubeObject>(parts: Parts<T>, { version, unlisted }: Difference): number {
  let dropped = 0;
  for (const key of unlisted) {
    const { metadata } = parts.cache.get(key) ?? parts.cache.identity(key) ?? {};
    // It was deleted or created meanwhile.
    if (!metadata || !isOlderVersion(metadata.resourceVersion, version)) continue;
    const object = { metadata: { ...metadata, resourceVersion: version } };
    applyEvent(parts, { type: 'DELETED', object });
    dropped += 1;
  }
  return dropped;
}

async function compareOnce<T extends KubeObject>(
  parts: Parts<T>,
  tried: Map<ObjectKey, string | undefined>,
  signal: AbortSignal,
): Promise<void> {
  const { options, progress } = parts;
  // A list of all objects comes first.
  if (progress.resourceVersion === undefined) return;
  const { newest } = progress;
  const found = await difference(parts, signal);
  if (isOlderVersion(found.version, newest)) {
    // etcd was restored, or this server is behind: what it lacks may exist. The next watch finds out.
    progress.mustVerify = true;
    return;
  }
  const { kind } = options.definition;
  const deleted = dropUnlisted(parts, found);
  const before = new Map(tried);
  tried.clear();
  let read = 0;
  for (const object of found.missed) {
    const key = objectKey(object);
    const { resourceVersion } = object.metadata;
    // The cache does not keep it, or its event has arrived meanwhile.
    const isKnown = before.get(key) === resourceVersion || !isMissed(parts, object, key);
    if (!isKnown) {
      await readAgain(parts, object, signal);
      read += 1;
    }
    if (versionIn(parts, key) === undefined) tried.set(key, resourceVersion);
  }
  if (deleted + read === 0) return;
  options.metrics?.changesMissed(kind, deleted + read);
  options.log.warn({ kind, deleted, read }, 'the watch had missed changes of objects');
}

/**
 * Compares the cache with the names and versions at the API server, again and again until the signal aborts, and reads what differs.
 * An API server can lose events between etcd and the cache from which it serves watches, and no later event repairs that. Changes
 * that arrive during a comparison are only read twice: versions decide. Never rejects.
 */
export async function compareNames<T extends KubeObject>(
  parts: Parts<T>,
  signal: AbortSignal,
): Promise<void> {
  const { options, settings, clock, turn } = parts;
  /** Objects that the cache did not keep after they were read, with their versions. */
  const tried = new Map<ObjectKey, string | undefined>();
  // At different times in the processes.
  while (await pause(clock, settings.compareMs * (1 - Math.random() / 5), signal)) {
    try {
      await turn.take(() => compareOnce(parts, tried, signal));
    } catch (error) {
      if (signal.aborted) return;
      const facts = { err: toError(error), kind: options.definition.kind };
      options.log.info(facts, 'could not compare a cache with the API server, will retry');
    }
  }
}
