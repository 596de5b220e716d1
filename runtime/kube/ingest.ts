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

/** Decodes objects from the API server and notifies the change handler. No error stops the reflector. */
export interface Ingest<T extends KubeObject> {
  /** Undefined if the object is invalid; the error is logged. */
  decode(value: unknown): T | undefined;
  /** Decodes an item of a list, or returns the cached object of the same version: a relist of 10,000 objects allocates none. */
  listed(item: unknown, cache: ObjectCache<T>): T | undefined;
  report(changes: readonly Change<T>[]): void;
}

const metadataOf = (value: unknown): Readonly<Record<string, unknown>> => {
  const metadata = isRecord(value) ? value['metadata'] : undefined;
  return isRecord(metadata) ? metadata : {};
};

/** The resourceVersion of any object, including bookmarks. */
export const versionOf = (value: unknown): string | undefined => {
  const version = metadataOf(value)['resourceVersion'];
  return typeof version === 'string' && version !== '' ? version : undefined;
};

/** managedFields can be more than half of an object, and no code here reads them. */
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
    report: (changes) => {
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
