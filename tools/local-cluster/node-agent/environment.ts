import { type DownwardView, fieldValue, resourceValue } from './downward-api.ts';
import type { Container, EnvFrom, EnvVar, KeyRef } from './pod-types.ts';

/** Reads the content of Secrets and ConfigMaps; undefined if the object does not exist. */
export interface ConfigSource {
  secret(namespace: string, name: string): Promise<Readonly<Record<string, Buffer>> | undefined>;
  configMap(namespace: string, name: string): Promise<Readonly<Record<string, Buffer>> | undefined>;
}

/** The env of a container refers to something that does not exist (yet). */
export class ContainerConfigError extends Error {
  override readonly name = 'ContainerConfigError';
}

type SourceKind = 'secret' | 'configMap';

const VARIABLE = /\$\$|\$\(([A-Za-z_][-A-Za-z0-9_.]*)\)/g;

/**
 * The env of a container's spec, without the env of this process.
 * @throws ContainerConfigError if a Secret, ConfigMap or key that is not optional is missing
 */
export async function resolveEnvironment(
  container: Container,
  view: DownwardView,
  source: ConfigSource,
): Promise<Record<string, string>> {
  const { namespace } = view.pod.metadata;
  const env: Record<string, string> = {};
  for (const from of container.envFrom ?? []) Object.assign(env, await readAll(from, namespace, source));
  for (const variable of container.env ?? []) {
    const value = await valueOf(variable, { container, view, source });
    if (value !== undefined) env[variable.name] = variable.value === undefined ? value : expand(value, env);
  }
  return env;
}

/** Replaces `$(NAME)` with its value. `$$` becomes a dollar sign, and unknown names stay unchanged. */
export function expand(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(VARIABLE, (whole, name?: string) => (name === undefined ? '$' : (env[name] ?? whole)));
}

async function readAll(
  from: EnvFrom,
  namespace: string,
  source: ConfigSource,
): Promise<Record<string, string>> {
  const kind: SourceKind = from.secretRef === undefined ? 'configMap' : 'secret';
  const ref = from.secretRef ?? from.configMapRef;
  if (ref === undefined) return {};
  const content = await source[kind](namespace, ref.name);
  if (content === undefined && ref.optional !== true) throw missing(kind, ref.name);
  const prefix = from.prefix ?? '';
  return Object.fromEntries(
    Object.entries(content ?? {}).map(([key, value]) => [prefix + key, value.toString()]),
  );
}

async function valueOf(
  variable: EnvVar,
  at: { container: Container; view: DownwardView; source: ConfigSource },
): Promise<string | undefined> {
  const from = variable.valueFrom;
  if (from === undefined) return variable.value ?? '';
  if (from.fieldRef !== undefined) return fieldValue(from.fieldRef.fieldPath, at.view);
  if (from.resourceFieldRef !== undefined) {
    return resourceValue(from.resourceFieldRef, at.view.pod.spec.containers, at.container);
  }
  const { namespace } = at.view.pod.metadata;
  if (from.secretKeyRef !== undefined)
    return keyValue('secret', from.secretKeyRef, { namespace, source: at.source });
  if (from.configMapKeyRef !== undefined) {
    return keyValue('configMap', from.configMapKeyRef, { namespace, source: at.source });
  }
  return '';
}

async function keyValue(
  kind: SourceKind,
  ref: KeyRef,
  at: { namespace: string; source: ConfigSource },
): Promise<string | undefined> {
  const content = await at.source[kind](at.namespace, ref.name);
  const value = content?.[ref.key];
  if (value !== undefined) return value.toString();
  if (ref.optional === true) return undefined;
  if (content === undefined) throw missing(kind, ref.name);
  throw new ContainerConfigError(
    `couldn't find key ${ref.key} in ${kind.toLowerCase()} ${at.namespace}/${ref.name}`,
  );
}

function missing(kind: SourceKind, name: string): ContainerConfigError {
  return new ContainerConfigError(`${kind.toLowerCase()} "${name}" not found`);
}
