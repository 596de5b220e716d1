import type { KubeObject } from './types.ts';

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** True when the text is that of one JSON object. */
export const isJsonObject = (text: string): boolean => {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
};

/** Where an object comes from decides what must be there; the API server's own schema guarantees the rest. */
export interface Shape {
  readonly kind: string;
  readonly scope?: 'Namespaced' | 'Cluster';
  /** Fields that must be objects. */
  readonly required?: readonly string[];
  /** Fields that are objects when they are there. */
  readonly optional?: readonly string[];
}

const metadataFault = (metadata: unknown): string | undefined => {
  if (!isRecord(metadata)) return 'metadata is missing';
  if (typeof metadata['name'] !== 'string' || metadata['name'] === '') return 'metadata.name is missing';
  return typeof metadata['namespace'] === 'string' ? undefined : 'metadata.namespace is missing';
};

const fault = (value: unknown, shape: Shape): string | undefined => {
  if (!isRecord(value)) return 'it is not a JSON object';
  const missing = shape.required?.find((field) => !isRecord(value[field]));
  if (missing !== undefined) return `${missing} is missing or not an object`;
  const wrong = shape.optional?.find((field) => value[field] !== undefined && !isRecord(value[field]));
  return wrong === undefined ? metadataFault(value['metadata']) : `${wrong} is not an object`;
};

/** Objects of the cluster get the namespace `''`, so that every object has one. */
const withNamespace = (value: unknown): unknown =>
  isRecord(value) && isRecord(value['metadata'])
    ? { ...value, metadata: { namespace: '', ...value['metadata'] } }
    : value;

/**
 * The validator of one kind: checks the frame (metadata, and that spec, status and the like are objects) and takes the
 * API server's word for the fields inside.
 */
export const decoderOf = <T extends KubeObject>(shape: Shape): ((value: unknown) => T) => {
  const isObject = (candidate: unknown): candidate is T => fault(candidate, shape) === undefined;
  return (value) => {
    const candidate = shape.scope === 'Cluster' ? withNamespace(value) : value;
    if (isObject(candidate)) return candidate;
    throw new TypeError(`not a ${shape.kind}: ${fault(candidate, shape) ?? ''}`);
  };
};
