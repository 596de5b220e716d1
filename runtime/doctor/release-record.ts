/**
 * The chart records a digest of each of its policies, roles, bindings and definitions in a ConfigMap, so that a change to one of
 * them is noticed. It finds mistakes, not attackers: anyone who can change a policy may be able to change the record too.
 */
import { createHash } from 'node:crypto';
import { isRecord } from '../kube/client/decode.ts';
import { fieldAt, listAt, textAt } from '../kube/fields.ts';

export interface RecordedObject {
  readonly kind: string;
  /** Undefined for objects without a namespace. */
  readonly namespace: string | undefined;
  readonly name: string;
  readonly digest: string;
}

export interface ReleaseRecord {
  readonly version: string;
  readonly hasHistory: boolean;
  readonly objects: readonly RecordedObject[];
}

/** As in the chart, `zipjobs.recordedObjects`. */
const DIGEST_LENGTH = 16;

/** JSON with sorted keys, as the templates of Helm write it. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([name, one]): [string, unknown] => [name, canonical(one)]);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function without(value: unknown, defaults: Readonly<Record<string, unknown>>): unknown {
  if (!isRecord(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.filter(
      ([name, one]) => !(name in defaults) || JSON.stringify(one) !== JSON.stringify(defaults[name]),
    ),
  );
}

/** What the API server adds to a policy that does not say it. */
function withoutDefaults(spec: unknown): unknown {
  const constraints = fieldAt(spec, 'matchConstraints');
  if (!isRecord(spec) || !isRecord(constraints)) return spec;
  const matchConstraints = without(
    {
      ...constraints,
      resourceRules: listAt(constraints, 'resourceRules').map((rule) => without(rule, { scope: '*' })),
    },
    { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} },
  );
  return { ...spec, matchConstraints };
}

/** What an object does, without its name, labels and annotations. */
function essenceOf(kind: string, object: unknown): unknown {
  switch (kind) {
    case 'CustomResourceDefinition':
      return fieldAt(object, 'spec', 'versions');
    case 'ClusterRole':
    case 'Role':
      return fieldAt(object, 'rules');
    case 'ClusterRoleBinding':
    case 'RoleBinding':
      return { roleRef: fieldAt(object, 'roleRef'), subjects: fieldAt(object, 'subjects') };
    default:
      return withoutDefaults(fieldAt(object, 'spec'));
  }
}

/** The digest of an object of the API server, comparable with the one in the record. */
export function digestOf(kind: string, object: unknown): string {
  const text = JSON.stringify(canonical(essenceOf(kind, object)));
  return createHash('sha256').update(text).digest('hex').slice(0, DIGEST_LENGTH);
}

/** Kinds whose keys in the record contain a namespace. */
const NAMESPACED = ['Role', 'RoleBinding'];

/** `Role.zipjobs-system.zipjobs-controller`; undefined for a key without a dot, which is no object. */
function recordedObject(key: string, digest: string): RecordedObject | undefined {
  const [kind = '', ...rest] = key.split('.');
  if (rest.length === 0) return undefined;
  const namespace = NAMESPACED.includes(kind) ? rest[0] : undefined;
  return { kind, namespace, name: rest.slice(namespace === undefined ? 0 : 1).join('.'), digest };
}

/** The record in this ConfigMap; undefined if there is none. */
export function readRecord(configMap: unknown): ReleaseRecord | undefined {
  const data = fieldAt(configMap, 'data');
  const version = textAt(data, 'version');
  if (!isRecord(data) || version === '') return undefined;
  const objects = Object.entries(data).map(([key, value]) => recordedObject(key, String(value)));
  return {
    version,
    hasHistory: textAt(data, 'history') === 'true',
    objects: objects.filter((one) => one !== undefined),
  };
}
