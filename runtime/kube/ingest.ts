import { toError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { isRecord } from './decode.ts';
import type { ObjectCache } from './object-cache.ts';
import type { Change, KubeObject, ResourceDefinition } from './types.ts';

export interface IngestOptions<T extends KubeObject> {
  readonly definition: ResourceDefinition<T>;
  readonly onChange?: (change: Change<T>) => void;
  readonly log: Logger;
}

/** The way of objects from the wire into the cache and to whoever listens. Nothing on it can stop the reflector. */
export interface Ingest<T extends KubeObject> {
  /** Undefined when the object is not of the kind; the fault is logged. */
  decode(value: unknown): T | undefined;
  /** The same for an item of a list: what the cache has already is kept, so that a relist of 10,000 objects makes none. */
  listed(item: unknown, cache: ObjectCache<T>): T | undefined;
  tell(changes: readonly Change<T>[]): void;
}

const metadataOf = (value: unknown): Readonly<Record<string, unknown>> => {
  const metadata = isRecord(value) ? value['metadata'] : undefined;
  return isRecord(metadata) ? metadata : {};
};

/** The resourceVersion of anything that has one, bookmarks included. */
export const versionOf = (value: unknown): string | undefined => {
  const version = metadataOf(value)['resourceVersion'];
  return typeof version === 'string' && version !== '' ? version : undefined;
};

/** managedFields are often the larger half of an object, and nobody here reads them. */
const withoutManagedFields = (value: unknown): unknown => {
  if (!isRecord(value)) return value;
  const { managedFields: _dropped, ...metadata } = metadataOf(value);
  return { ...value, metadata };
};

export const createIngest = <T extends KubeObject>(options: IngestOptions<T>): Ingest<T> => {
  const { definition, onChange, log } = options;
  const { kind } = definition;
  const decode = (value: unknown): T | undefined => {
    try {
      return definition.decode(withoutManagedFields(value));
    } catch (error) {
      log.error({ err: toError(error), kind }, 'ignored an object that cannot be decoded');
      return undefined;
    }
  };
  return {
    decode,
    listed: (item, cache) => {
      const { namespace = '', name, uid } = metadataOf(item);
      const known = cache.get(`${String(namespace)}/${String(name)}`);
      const isSame = known?.metadata.uid === uid && known?.metadata.resourceVersion === versionOf(item);
      return isSame ? known : (decode(item) ?? known);
    },
    tell: (changes) => {
      for (const change of changes) {
        try {
          onChange?.(change);
        } catch (error) {
          log.error({ err: toError(error), kind, key: change.key }, 'a change handler failed');
        }
      }
    },
  };
};
