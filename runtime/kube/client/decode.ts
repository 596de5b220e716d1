import type { KubeObject } from '../types.ts';

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The text as one JSON object; undefined for any other text. */
export function readJsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** True if the text is one JSON object. */
export function isJsonObject(text: string): boolean {
  return readJsonObject(text) !== undefined;
}

/** Checked fields of a kind. The schema of the API server guarantees the rest. */
export interface Shape {
  readonly kind: string;
  readonly scope?: 'Namespaced' | 'Cluster';
  /** Fields that must be objects. */
  readonly required?: readonly string[];
  /** Fields that must be objects if they are present. */
  readonly optional?: readonly string[];
}

function metadataFault(metadata: unknown): string | undefined {
  if (!isRecord(metadata)) return 'metadata is missing';
  if (typeof metadata['name'] !== 'string' || metadata['name'] === '') return 'metadata.name is missing';
  return typeof metadata['namespace'] === 'string' ? undefined : 'metadata.namespace is missing';
}

function fault(value: unknown, shape: Shape): string | undefined {
  if (!isRecord(value)) return 'it is not a JSON object';
  const missing = shape.required?.find((field) => !isRecord(value[field]));
  if (missing !== undefined) return `${missing} is missing or not an object`;
  const wrong = shape.optional?.find((field) => value[field] !== undefined && !isRecord(value[field]));
  return wrong === undefined ? metadataFault(value['metadata']) : `${wrong} is not an object`;
}

/** Cluster-scoped objects get the namespace `''`, so that every object has one. */
function withNamespace(value: unknown): unknown {
  return isRecord(value) && isRecord(value['metadata'])
    ? { ...value, metadata: { namespace: '', ...value['metadata'] } }
    : value;
}

/**
 * The validator of one kind. It checks that metadata, spec, status and similar fields are objects, and trusts the API
 * server for the fields inside them.
 */
export function decoderOf<T extends KubeObject>(shape: Shape): (value: unknown) => T {
  function isObject(candidate: unknown): candidate is T {
    return fault(candidate, shape) === undefined;
  }
  return (value) => {
    const candidate = shape.scope === 'Cluster' ? withNamespace(value) : value;
    if (isObject(candidate)) return candidate;
    throw new TypeError(`not a ${shape.kind}: ${fault(candidate, shape) ?? ''}`);
  };
}
