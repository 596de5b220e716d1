import { parse } from 'yaml';
import { helm } from './helm-session.ts';

export const CHART = 'charts/zipjobs';
export const NAMESPACE = 'zipjobs-system';

export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: unknown;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly env?: readonly EnvVar[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly [field: string]: unknown;
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly volumes?: readonly Readonly<Record<string, unknown>>[];
  readonly [field: string]: unknown;
}

/** Values as a nested object, like in a values file. */
export type Values = Readonly<Record<string, unknown>>;

/** A chart that is not from a release requires it. */
const DEFAULTS: Values = { 'image.registry': 'registry.example.com/zipjobs' };

export function valueFlags(values: Values): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => [
    '--set-json',
    `${name}=${JSON.stringify(value)}`,
  ]);
}

/** Most objects are equal in most renderings, and to parse all of them takes as long as to render them. */
const parsedObjects = new Map<string, KubeObject | null>();

function parsedObject(text: string): KubeObject | null {
  const known = parsedObjects.get(text);
  const object = known === undefined ? (parse(text) as KubeObject | null) : known;
  parsedObjects.set(text, object);
  return object;
}

/** The objects in the output of helm. */
export function objectsIn(text: string): readonly KubeObject[] {
  return text
    .split(/^---$/m)
    .map(parsedObject)
    .filter((object) => object !== null);
}

const renderings = new Map<string, Promise<readonly KubeObject[]>>();

/**
 * Renders the objects of the release, once for the same values.
 * @throws Error with helm's output when the values are refused.
 */
export function render(values: Values = {}, flags: readonly string[] = []): Promise<readonly KubeObject[]> {
  const release = ['template', 'zipjobs', CHART, '--namespace', NAMESPACE];
  // A values file names its registry, which flags would override.
  const defaults = flags.includes('--values') ? {} : DEFAULTS;
  const args = [...release, ...valueFlags({ ...defaults, ...values }), ...flags];
  const key = JSON.stringify(args);
  const objects = renderings.get(key) ?? helm(args).then(objectsIn);
  renderings.set(key, objects);
  return objects;
}

/** Why the chart refuses these values. */
export function refusalOf(values: Values): Promise<string> {
  return render(values).then(() => 'the chart renders them', String);
}

/** What helm prints after an installation with these values. */
export async function renderNotes(values: Values = {}): Promise<string> {
  const flags = ['--namespace', NAMESPACE, '--dry-run=client', ...valueFlags({ ...DEFAULTS, ...values })];
  const text = await helm(['install', 'zipjobs', CHART, ...flags]);
  return text.slice(text.indexOf('\nNOTES:\n'));
}

export function find(objects: readonly KubeObject[], kind: string, name: string): KubeObject {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  if (found === undefined) throw new Error(`the chart has no ${kind} ${name}`);
  return found;
}

/** The policy that restricts the Jobs of zippers, as JSON. */
export function zipperPolicy(objects: readonly KubeObject[]): string {
  return JSON.stringify(find(objects, 'ValidatingAdmissionPolicy', 'zipjobs-zipper-jobs'));
}

export function podOf(deployment: KubeObject): PodSpec {
  return (deployment['spec'] as { template: { spec: PodSpec } }).template.spec;
}

export function envOf(objects: readonly KubeObject[], component: string): ReadonlyMap<string, EnvVar> {
  const [container] = podOf(find(objects, 'Deployment', `zipjobs-${component}`)).containers;
  return new Map((container?.env ?? []).map((variable) => [variable.name, variable]));
}

/** The variables as a process reads them; `from-the-pod` for values that Kubernetes fills in. */
export function plainEnv(env: ReadonlyMap<string, EnvVar>): Record<string, string> {
  return Object.fromEntries([...env].map(([name, { value }]) => [name, value ?? 'from-the-pod']));
}
