import { ANNOTATIONS, LABELS } from '#crds/api-group.ts';
import type { ObjectMeta } from '#crds/object-meta.ts';
import { defined } from '../optional.ts';
import type { KubeObject } from './types.ts';

const NAMES: ReadonlySet<string> = new Set([...Object.values(LABELS), ...Object.values(ANNOTATIONS)]);

function named(
  texts: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> | undefined {
  const entries = texts && Object.entries(texts).filter(([name]) => NAMES.has(name));
  return entries && entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/**
 * The metadata that caches keep. Annotations and labels of others are dropped, because anyone may write 256 KiB of them on each object.
 * The spec and status of our kinds have only the fields of their definitions.
 */
export function withNamedMetadata<T extends KubeObject>(object: T): T {
  const { metadata } = object;
  const kept: Readonly<Record<keyof ObjectMeta, unknown>> = {
    name: metadata.name,
    namespace: metadata.namespace,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    generation: metadata.generation,
    creationTimestamp: metadata.creationTimestamp,
    deletionTimestamp: metadata.deletionTimestamp,
    labels: named(metadata.labels),
    annotations: named(metadata.annotations),
    finalizers: metadata.finalizers,
    ownerReferences: metadata.ownerReferences,
  };
  return { ...object, metadata: defined(kept) };
}
