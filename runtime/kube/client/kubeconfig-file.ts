import { readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import { defined } from '../../collections/optional.ts';
import { ConfigError } from '../../errors.ts';
import type { KubeAccess } from './kube-access.ts';

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
}

function load(file: string): KubeConfig {
  const config = new KubeConfig();
  try {
    readFileSync(file);
    config.loadFromFile(file);
  } catch (error) {
    throw new ConfigError(`The kubeconfig ${file} (KUBECONFIG) cannot be read`, error);
  }
  return config;
}

function missing<T extends { readonly name: string }>(there: readonly T[], more: readonly T[]): T[] {
  return more.filter(({ name }) => there.every((one) => one.name !== name));
}

/** Merges like kubectl: for each name the first entry wins, and the first current context applies. */
function loadAll({ files, context }: KubeconfigChoice): KubeConfig {
  const [first, ...others] = files.map(load);
  if (first === undefined) throw new ConfigError('No kubeconfig file is configured. Set KUBECONFIG');
  for (const other of others) {
    for (const cluster of missing(first.clusters, other.clusters)) first.addCluster(cluster);
    for (const user of missing(first.users, other.users)) first.addUser(user);
    for (const one of missing(first.contexts, other.contexts)) first.addContext(one);
    if (!first.currentContext) first.setCurrentContext(other.currentContext);
  }
  if (context !== undefined) first.setCurrentContext(context);
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
  if (cluster.proxyUrl !== undefined) {
    throw new ConfigError(`The cluster ${cluster.name} uses a proxy (proxy-url), which is not supported`);
  }
  return cluster;
}

/**
 * The identity of a context in kubeconfig files. Supports every sign-in method of the client library: tokens,
 * certificates, exec plugins, OpenID Connect.
 * @throws ConfigError if a file cannot be read or is invalid
 */
export function accessOfKubeconfig(choice: KubeconfigChoice): ContextAccess {
  let config = loadAll(choice);
  const cluster = clusterOf(config, choice);
  const ofCluster = config.contexts.filter((context) => context.cluster === cluster.name);
  return {
    server: cluster.server.replace(/(?<!\/)\/+$/, ''),
    namespace: config.getContextObject(config.currentContext)?.namespace,
    knownNamespaces: [...new Set(ofCluster.flatMap(({ namespace }) => namespace ?? []))],
    credentials: async ({ forget = false } = {}) => {
      if (forget) config = loadAll(choice);
      const options: RequestOptions = {};
      await config.applyToHTTPSOptions(options);
      const { ca, cert, key, rejectUnauthorized, servername, auth } = options;
      const basic = typeof auth === 'string' ? { authorization: `Basic ${btoa(auth)}` } : {};
      return {
        headers: { ...basic, ...headerText(options.headers) },
        tls: defined({ ca, cert, key, rejectUnauthorized, servername }),
      };
    },
  };
}
