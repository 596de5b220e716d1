/** Fields of kubeconfig v1 that the client library does not read, or reads differently from kubectl. */
import { readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { Cluster, User } from '@kubernetes/client-node';
import { load } from 'js-yaml';
import { ConfigError } from '../../errors.ts';
import { isRecord } from './decode.ts';
import type { KubeCredentials } from './kube-access.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The fields of the users and clusters of a file, by name. */
export interface FileFields {
  readonly users: ReadonlyMap<string, Fields>;
  readonly clusters: ReadonlyMap<string, Fields>;
  readonly forLibrary: string;
}

function named(list: unknown, field: string): ReadonlyMap<string, Fields> {
  const entries = Array.isArray(list) ? list.filter(isRecord) : [];
  return new Map(
    entries.map((entry) => {
      const fields = entry[field];
      return [String(entry['name']), isRecord(fields) ? fields : {}];
    }),
  );
}

/** What the client library loads. It would read a file that kubectl ignores, even of a user that is not needed. */
function withoutTokenFile(name: string, value: unknown): unknown {
  return name === 'token-file' ? undefined : value;
}

export function parseFields(text: string): FileFields {
  const config: unknown = load(text);
  const { users, clusters } = isRecord(config) ? config : {};
  return {
    users: named(users, 'user'),
    clusters: named(clusters, 'cluster'),
    forLibrary: JSON.stringify(config, withoutTokenFile),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(textOf) : [];
}

function pathIn(dir: string, path: string): string {
  return isAbsolute(path) ? path : join(dir, path);
}

const EXEC_INFO = 'KUBERNETES_EXEC_INFO';
const EXEC_VERSIONS: readonly string[] = [
  'client.authentication.k8s.io/v1',
  'client.authentication.k8s.io/v1beta1',
];
/** Extension of a cluster whose value a plugin receives as its configuration. */
const EXEC_EXTENSION = 'client.authentication.k8s.io/exec';
const EXEC_CLUSTER_FIELDS = [
  'server',
  'tls-server-name',
  'insecure-skip-tls-verify',
  'certificate-authority-data',
  'disable-compression',
];

function execConfig({ extensions }: Fields): unknown {
  const found = Array.isArray(extensions)
    ? extensions.filter(isRecord).find(({ name }) => name === EXEC_EXTENSION)
    : undefined;
  return found?.['extension'];
}

/** What kubectl tells a plugin in a variable. */
function execInfo(exec: Fields, cluster: Fields): string {
  const chosen = EXEC_CLUSTER_FIELDS.filter((name) => name in cluster).map(
    (name) => [name, cluster[name]] as const,
  );
  const config = execConfig(cluster);
  const about: Fields = { ...Object.fromEntries<unknown>(chosen), ...(config !== undefined && { config }) };
  return JSON.stringify({
    apiVersion: exec['apiVersion'],
    kind: 'ExecCredential',
    spec: { interactive: false, ...(exec['provideClusterInfo'] === true && { cluster: about }) },
  });
}

/** A plugin that receives what it would receive from kubectl. A path is relative to the kubeconfig, a bare name is searched in PATH. */
function execFor(exec: Fields, cluster: Fields, dir: string): Fields {
  const command = textOf(exec['command']);
  const env: readonly unknown[] = Array.isArray(exec['env']) ? exec['env'] : [];
  return {
    ...exec,
    command: /[/\\]/.test(command) ? pathIn(dir, command) : command,
    env: [...env, { name: EXEC_INFO, value: execInfo(exec, cluster) }],
  };
}

/** The user as the client library needs it. Like in kubectl, data override files. `userHeaders` impersonates. */
export function libraryUser(
  user: User,
  fields: Fields,
  about: { readonly cluster: Fields; readonly dir: string },
): User {
  const { certFile, keyFile, impersonateUser: _, ...rest } = user;
  const { exec } = fields;
  return {
    ...rest,
    ...(certFile !== undefined && !user.certData && { certFile }),
    ...(keyFile !== undefined && !user.keyData && { keyFile }),
    ...(isRecord(exec) && { exec: execFor(exec, about.cluster, about.dir) }),
  };
}

/** Like in kubectl, data override a file. */
export function libraryCluster(cluster: Cluster): Cluster {
  const { caFile, ...rest } = cluster;
  return caFile === undefined || cluster.caData ? rest : { ...rest, caFile };
}

/** Those of which the client library knows the sign-in. */
const AUTH_PROVIDERS: readonly string[] = ['oidc', 'azure', 'gcp'];

function refusalOfExec({ apiVersion, interactiveMode }: Fields): string | undefined {
  if (!EXEC_VERSIONS.includes(textOf(apiVersion)))
    return `its exec.apiVersion ${JSON.stringify(apiVersion ?? null)} is not supported. Update the plugin, and use ${EXEC_VERSIONS[0]}`;
  if (interactiveMode === 'Always')
    return 'its plugin needs a terminal (exec.interactiveMode: Always), which is not supported. Use IfAvailable or Never, or another way to sign in';
  return undefined;
}

function refusalOfAuthProvider(provider: Fields): string | undefined {
  const name = textOf(provider['name']);
  return AUTH_PROVIDERS.includes(name)
    ? undefined
    : `its auth-provider ${JSON.stringify(name)} is not supported. Use an exec plugin or a token`;
}

function refusalOfUser(fields: Fields): string | undefined {
  const { exec, 'auth-provider': provider } = fields;
  if (fields['token-file'] !== undefined)
    return 'token-file is not a field of a kubeconfig, and kubectl ignores it. Use tokenFile';
  const dependent = ['as-uid', 'as-groups', 'as-user-extra'].find((name) => fields[name] !== undefined);
  if (dependent !== undefined && textOf(fields['as']) === '')
    return `${dependent} has no effect without as. Add as, or remove ${dependent}`;
  return (
    (isRecord(exec) ? refusalOfExec(exec) : undefined) ??
    (isRecord(provider) ? refusalOfAuthProvider(provider) : undefined)
  );
}

/** @throws ConfigError for a field that cannot be honoured, and what to use instead: without it, requests would have another identity */
export function assertSupported(
  user: { readonly name: string; readonly fields: Fields },
  cluster: { readonly name: string; readonly fields: Fields },
): void {
  if (textOf(cluster.fields['proxy-url']) !== '')
    throw new ConfigError(
      `The cluster ${cluster.name} uses a proxy (proxy-url), which is not supported. Remove proxy-url, and run this where the API server can be reached directly`,
    );
  const refusal = refusalOfUser(user.fields);
  if (refusal !== undefined)
    throw new ConfigError(`The user ${user.name} of the kubeconfig is not supported: ${refusal}`);
}

/** As client-go writes the key of an extra value into the name of a header. */
function headerKey(key: string): string {
  return encodeURIComponent(key.toLowerCase()).replace(
    /[()]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function impersonation(fields: Fields): KubeCredentials['headers'] {
  const extra = isRecord(fields['as-user-extra']) ? fields['as-user-extra'] : {};
  const uid = textOf(fields['as-uid']);
  const groups = listOf(fields['as-groups']);
  return {
    'impersonate-user': textOf(fields['as']),
    ...(uid !== '' && { 'impersonate-uid': uid }),
    ...(groups.length > 0 && { 'impersonate-group': groups }),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [`impersonate-extra-${headerKey(key)}`, listOf(values)]),
    ),
  };
}

async function readTokenFile(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    throw new ConfigError(`The token file ${path} (tokenFile in the kubeconfig) cannot be read`, error);
  }
}

/** The headers of the user that the client library does not set. A token file is read again each time, and overrides a token. */
export async function userHeaders(fields: Fields, dir: string): Promise<KubeCredentials['headers']> {
  const tokenFile = textOf(fields['tokenFile']);
  const username = textOf(fields['username']);
  const basic = Buffer.from(`${username}:${textOf(fields['password'])}`).toString('base64');
  return {
    ...(username !== '' && textOf(fields['token']) === '' && { authorization: `Basic ${basic}` }),
    ...(tokenFile !== '' && { authorization: `Bearer ${await readTokenFile(pathIn(dir, tokenFile))}` }),
    ...(textOf(fields['as']) !== '' && impersonation(fields)),
  };
}

/** The error of a plugin, with the hint of the kubeconfig if its program is missing. */
export function pluginError(error: unknown, name: string, { exec }: Fields): unknown {
  if (!isRecord(exec)) return error;
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  const hint = isMissing ? textOf(exec['installHint']).trim() : '';
  const why = isMissing ? 'its program was not found' : 'it failed';
  return new ConfigError(
    `The plugin ${textOf(exec['command'])} (exec) of the user ${name} gives no credentials: ${why}${hint === '' ? '' : `. ${hint}`}`,
    error,
  );
}
