import type { ConfigOf, Settings } from '../../config/config.ts';
import { isStringMap, parseJson } from '../../config/json-values.ts';
import { ConfigError } from '../../errors.ts';
import type { KubeObject } from '../types.ts';
import { isRecord } from './decode.ts';

export const OBJECT_METADATA_SETTINGS = {
  objectMetadataJson: {
    env: 'OBJECT_METADATA_JSON',
    type: 'string',
    default: JSON.stringify({ annotations: {}, labels: {} }),
    description:
      'labels and annotations of every object that the process creates: JSON object {labels, annotations}',
    keys: ['labels', 'annotations'],
    changeWhen: 'set it when a policy of the cluster refuses objects without certain labels or annotations',
  },
} as const satisfies Settings;

/** Labels and annotations that the operator wants in every object that our processes create. */
export interface ObjectMetadata {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** @throws ConfigError unless the setting is a JSON object of labels and annotations. */
export function readObjectMetadata({
  objectMetadataJson,
}: ConfigOf<typeof OBJECT_METADATA_SETTINGS>): ObjectMetadata {
  const { env } = OBJECT_METADATA_SETTINGS.objectMetadataJson;
  const value = parseJson(env, objectMetadataJson);
  if (isRecord(value)) {
    const { labels = {}, annotations = {}, ...others } = value;
    if (isStringMap(labels) && isStringMap(annotations) && Object.keys(others).length === 0)
      return { labels, annotations };
  }
  throw new ConfigError(`${env} must be a JSON object {labels, annotations} of texts`);
}

function over<K extends keyof ObjectMetadata>(
  field: K,
  { [field]: common }: ObjectMetadata,
  own: Readonly<Record<string, string>> | undefined,
): Partial<ObjectMetadata> {
  const merged: Partial<Record<K, ObjectMetadata[K]>> = {};
  if (Object.keys(common).length > 0) merged[field] = { ...common, ...own };
  return merged;
}

/** The object with the labels and annotations of the operator. Its own ones win. */
export function withObjectMetadata<T extends KubeObject>(object: T, common: ObjectMetadata | undefined): T {
  if (common === undefined) return object;
  const { metadata } = object;
  const added = {
    ...over('labels', common, metadata.labels),
    ...over('annotations', common, metadata.annotations),
  };
  return { ...object, metadata: { ...metadata, ...added } };
}
