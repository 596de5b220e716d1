import { ANNOTATIONS, LABELS } from '#crds/api-group.ts';
import type { ObjectMeta } from '#crds/object-meta.ts';
import { endpointAnnotation } from '#crds/webhook-endpoints.ts';
import { defined } from '../../collections/optional.ts';
import { toError } from '../../errors.ts';
import type { Logger } from '../../log/log.ts';
import type { KeptDefinition } from '../cache/kept-as.ts';
import type { IncomingList } from '../cache/object-cache.ts';
import { isRecord } from '../client/decode.ts';
import type { Change, KubeObject } from '../types.ts';

const NAMES: ReadonlySet<string> = new Set([...Object.values(LABELS), ...Object.values(ANNOTATIONS)]);

const COMMANDS = [ANNOTATIONS.replayWebhook, ANNOTATIONS.testWebhook, ANNOTATIONS.enableWebhook];

/** Annotations that are commands to the webhook endpoints of a ZipProject or ZipJob, at most four by its definition. */
function commandsOf(object: object): readonly string[] {
  const spec = 'spec' in object && isRecord(object.spec) ? object.spec : {};
  const endpoints = isRecord(spec['webhook']) ? spec['webhook']['endpoints'] : undefined;
  if (!Array.isArray(endpoints)) return [];
  return endpoints.flatMap((endpoint: unknown) => {
    const name = isRecord(endpoint) ? endpoint['name'] : undefined;
    return typeof name === 'string' ? COMMANDS.map((command) => endpointAnnotation(command, name)) : [];
  });
}

function named(
  texts: Readonly<Record<string, string>> | undefined,
  others: readonly string[] = [],
): Readonly<Record<string, string>> | undefined {
  const entries = texts && Object.entries(texts).filter(([name]) => NAMES.has(name) || others.includes(name));
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
    annotations: named(metadata.annotations, commandsOf(object)),
    finalizers: metadata.finalizers,
    ownerReferences: metadata.ownerReferences,
  };
  return { ...object, metadata: defined(kept) };
}

export interface IngestOptions<T extends KubeObject> {
  readonly definition: KeptDefinition<T>;
  readonly onChange?: (change: Change<T>) => void;
  readonly log: Logger;
}

/** Decodes objects from the API server and notifies the change handler. No error stops the reflector. */
export interface Ingest<T extends KubeObject> {
  /** `invalid`: the error is logged, and what the cache has stays. Undefined for an object that the cache leaves out. */
  decode(value: unknown): T | 'invalid' | undefined;
  /** Adds an item of a list. It is decoded only if the cache does not have this version. */
  listed(item: unknown, list: IncomingList<T>): void;
  /** Removes an item that was deleted while the list was received. */
  unlisted(item: unknown, list: IncomingList<T>): void;
  report(change: Change<T>): void;
}

export function metadataOf(value: unknown): Readonly<Record<string, unknown>> {
  const metadata = isRecord(value) ? value['metadata'] : undefined;
  return isRecord(metadata) ? metadata : {};
}

/** The resourceVersion of any object, including bookmarks. */
export function versionOf(value: unknown): string | undefined {
  const version = metadataOf(value)['resourceVersion'];
  return typeof version === 'string' && version !== '' ? version : undefined;
}

/** The part of an object by which a cache recognizes it. */
export function identityOf(value: unknown): KubeObject {
  const { namespace = '', name, uid } = metadataOf(value);
  return { metadata: { namespace, name, uid, resourceVersion: versionOf(value) } } as KubeObject;
}

/** managedFields can be more than half of an object, and no code here reads them. */
function withoutManagedFields(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { managedFields: _dropped, ...metadata } = metadataOf(value);
  return { ...value, metadata };
}

export function createIngest<T extends KubeObject>(options: IngestOptions<T>): Ingest<T> {
  const { definition, onChange, log } = options;
  const { kind } = definition;
  function decode(value: unknown): T | 'invalid' | undefined {
    try {
      const kept = definition.decode(withoutManagedFields(value));
      return kept && withNamedMetadata(kept);
    } catch (error) {
      log.error({ err: toError(error), kind }, 'ignored an object that cannot be decoded');
      return 'invalid';
    }
  }
  return {
    decode,
    unlisted: (item, list) => {
      list.remove(identityOf(item));
    },
    listed: (item, list) => {
      const listed = identityOf(item);
      const object = list.isKnown(listed) ? 'known' : decode(item);
      if (typeof object === 'string') list.addKnown(listed);
      else if (object) list.add(object);
    },
    report: (change) => {
      try {
        onChange?.(change);
      } catch (error) {
        log.error({ err: toError(error), kind, key: change.key }, 'a change handler failed');
      }
    },
  };
}
