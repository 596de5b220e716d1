import { readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { dirname } from 'node:path';
import type { Cluster } from '@kubernetes/client-node';
import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { defined } from '../../collections/optional.ts';
import { ConfigError } from '../../errors.ts';
import type { KubeAccess } from './kube-access.ts';
import {
  assertSupported,
  libraryCluster,
  libraryUser,
  parseFields,
  pluginError,
  userHeaders,
} from './kubeconfig-user.ts';

export interface KubeconfigChoice {
  /** At least one. Earlier files override later ones. */
  readonly files: readonly string[];
  /** Default: the current context. */
  readonly context?: string;
}

/** An identity at an API server, with other values of the kubeconfig. */
export interface ContextAccess extends KubeAccess {
  /** Namespace of the context. */
  readonly namespace: string | undefined;
  /** Every namespace in the contexts of the same cluster. */
  readonly knownNamespaces: readonly string[];
  /** The name of every context. */
  readonly knownContexts: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

interface Loaded {
  readonly config: KubeConfig;
  /** The fields of each user, and the directory of the file that has them. */
  readonly users: Map<string, { readonly fields: Fields; readonly dir: string }>;
  readonly clusters: Map<string, Fields>;
}

function load(file: string): Loaded {
  const config = new KubeConfig();
  const dir = dirname(file);
  try {
    const { users, clusters, forLibrary } = parseFields(readFileSync(file, 'utf8'));
    config.loadFromString(forLibrary);
    config.makePathsAbsolute(dir);
    config.clusters = config.clusters.map(libraryCluster);
    return {
      config,
      users: new Map([...users].map(([name, fields]) => [name, { fields, dir }])),
      clusters: new Map(clusters),
    };
  } catch (error) {
    throw new ConfigError(`The kubeconfig ${file} cannot be read`, error);
  }
}

function missing<T extends { readonly name: string }>(there: readonly T[], more: readonly T[]): T[] {
  return more.filter(({ name }) => there.every((one) => one.name !== name));
}

function addMissing<T>(there: Map<string, T>, more: ReadonlyMap<string, T>): void {
  for (const [name, one] of more) if (!there.has(name)) there.set(name, one);
}

/** Merges like kubectl: for each name the first entry wins, and the first current context applies. */
function loadAll({ files, context }: KubeconfigChoice): Loaded {
  const [first, ...others] = files.map(load);
  if (first === undefined) throw new ConfigError('No kubeconfig file is configured. Set KUBECONFIG');
  const { config } = first;
  for (const other of others) {
    for (const cluster of missing(config.clusters, other.config.clusters)) config.addCluster(cluster);
    for (const user of missing(config.users, other.config.users)) config.addUser(user);
    for (const one of missing(config.contexts, other.config.contexts)) config.addContext(one);
    if (!config.currentContext) config.setCurrentContext(other.config.currentContext);
    addMissing(first.users, other.users);
    addMissing(first.clusters, other.clusters);
  }
  if (context !== undefined) config.setCurrentContext(context);
  return first;
}

/** Converts the header values of the client library, whose type is `any`, to trimmed text. */
function headerText(headers: RequestOptions['headers']): Record<string, string> {
  const pairs = Object.entries(headers ?? {}).filter(([, value]) => value !== undefined);
  // A token file may end with a line break, which is invalid in a header.
  return Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), String(value).trim()]));
}

function clusterOf(config: KubeConfig, { files, context }: KubeconfigChoice) {
  const cluster = config.getCurrentCluster();
  const where = `The kubeconfig ${files.join(', ')}`;
  if (!cluster && context !== undefined) {
    const names = config.contexts.map(({ name }) => name).join(', ');
    throw new ConfigError(`${where} has no context '${context}'; it has: ${names}`);
  }
  if (!cluster) throw new ConfigError(`${where} has no current context`);
  return cluster;
}

/**
 * The user of the current context, whose requests have its identity.
 * @throws ConfigError for a user that does not exist, or has a field that is not supported
 */
function userOf({ config, users, clusters }: Loaded, cluster: Cluster) {
  const name = config.getContextObject(config.currentContext)?.user ?? '';
  const found = users.get(name);
  if (!found && name !== '')
    throw new ConfigError(
      `The context ${config.currentContext} of the kubeconfig refers to the user ${name}, which does not exist. Add the user, or choose another context`,
    );
  const { fields, dir } = found ?? { fields: {}, dir: '' };
  const about = { cluster: clusters.get(cluster.name) ?? {}, dir };
  assertSupported({ name, fields }, { name: cluster.name, fields: about.cluster });
  config.users = config.users.map((user) => (user.name === name ? libraryUser(user, fields, about) : user));
  return { name, fields, dir };
}

/**
 * The identity of a context in kubeconfig files. Supports every sign-in method of kubectl: tokens, token files, certificates, names
 * with passwords, exec plugins, OpenID Connect, each also with impersonation.
 * @throws ConfigError if a file cannot be read or is invalid, or the context has a field that is not supported
 */
export function accessOfKubeconfig(choice: KubeconfigChoice): ContextAccess {
  function open() {
    const loaded = loadAll(choice);
    const cluster = clusterOf(loaded.config, choice);
    return { config: loaded.config, cluster, user: userOf(loaded, cluster) };
  }
  let opened = open();
  const { config, cluster } = opened;
  const ofCluster = config.contexts.filter((context) => context.cluster === cluster.name);
  return {
    server: cluster.server.replace(/(?<!\/)\/+$/, ''),
    namespace: config.getContextObject(config.currentContext)?.namespace,
    knownNamespaces: [...new Set(ofCluster.flatMap(({ namespace }) => namespace ?? []))],
    knownContexts: config.contexts.map(({ name }) => name),
    credentials: async ({ forget = false } = {}) => {
      if (forget) opened = open();
      const { user } = opened;
      const options: RequestOptions = {};
      await opened.config.applyToHTTPSOptions(options).catch((error: unknown) => {
        throw pluginError(error, user.name, user.fields);
      });
      const { ca, cert, key, rejectUnauthorized, servername } = options;
      return {
        headers: { ...headerText(options.headers), ...(await userHeaders(user.fields, user.dir)) },
        tls: defined({ ca, cert, key, rejectUnauthorized, servername }),
      };
    },
  };
}
