import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { formatHostPort } from '#runtime/egress/host-port.ts';
import { portOfUrl } from '#runtime/egress/open-socket.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { isKubeError } from '#runtime/kube/client/kube-error.ts';
import { listPages } from '#runtime/kube/client/list-pages.ts';
import type { Logger } from '#runtime/log/log.ts';
import { retry } from '#runtime/time/retry.ts';
import type { ControllerConfig } from '../config/config.ts';

/** What the API server reports about the addresses of its cluster. */
export interface ClusterAddresses {
  /** Undefined if they cannot be read. */
  readonly serviceCidrs: readonly string[] | undefined;
  /** `address:port`. Without a port if it is not known. */
  readonly apiServer: readonly string[];
}

interface Deps {
  readonly kube: KubeClient;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

const SERVICE_CIDRS = {
  apiVersion: 'networking.k8s.io/v1',
  plural: 'servicecidrs',
  kind: 'ServiceCIDR',
  scope: 'Cluster',
} as const;
/** The endpoints of the Service `kubernetes`, which the API servers write themselves. */
const API_SERVER_SLICE = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes';
const PAGE_SIZE = 100;
/** A role that was just installed reaches the API servers with a delay. */
const FORBIDDEN_TRIES = 4;

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

/** Undefined without the permission, or on a cluster without the resource. */
async function readable<T>(read: () => Promise<T>, attempt: number): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isKubeError(error, 'NotFound', 'NotServed')) return undefined;
    if (isKubeError(error, 'Forbidden') && attempt >= FORBIDDEN_TRIES) return undefined;
    throw error;
  }
}

async function readServiceCidrs({ kube, signal }: Deps): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { items } of listPages(kube, SERVICE_CIDRS, { pageSize: PAGE_SIZE, signal }))
    found.push(...items.flatMap((item) => textsOf(fieldOf(fieldOf(item, 'spec'), 'cidrs'))));
  return found;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The ports of a slice. One that is not a number, or no port at all, means all ports. */
function portsOf(slice: unknown): readonly (number | undefined)[] {
  const ports = listOf(fieldOf(slice, 'ports')).map((one) => fieldOf(one, 'port'));
  return ports.length === 0
    ? [undefined]
    : ports.map((port) => (typeof port === 'number' ? port : undefined));
}

async function readEndpoints({ kube, signal }: Deps): Promise<readonly string[]> {
  const slice = await kube.request({ method: 'GET', path: API_SERVER_SLICE, signal });
  const hosts = listOf(fieldOf(slice, 'endpoints')).flatMap((one) => textsOf(fieldOf(one, 'addresses')));
  return hosts.flatMap((host) => portsOf(slice).map((port) => formatHostPort({ host, port })));
}

/** The addresses and the port that this process uses for the API server. */
async function ownEndpoints({ kube, log }: Deps): Promise<readonly string[]> {
  const url = new URL(kube.server);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = portOfUrl(url);
  if (isIP(host) !== 0) return [formatHostPort({ host, port })];
  try {
    const found = await lookup(host, { all: true });
    return found.map(({ address }) => formatHostPort({ host: address, port }));
  } catch (error) {
    log.warn({ err: error, host }, 'could not resolve the host of the API server');
    return [];
  }
}

/** Retries until the API server responds: without the addresses, zippers could connect to them. */
export function readClusterAddresses(deps: Deps): Promise<ClusterAddresses> {
  return retry(
    async (attempt) => {
      const serviceCidrs = await readable(() => readServiceCidrs(deps), attempt);
      const endpoints = await readable(() => readEndpoints(deps), attempt);
      if (!endpoints) deps.log.warn('the addresses behind the Service of the API server cannot be read');
      return { serviceCidrs, apiServer: [...new Set([...(await ownEndpoints(deps)), ...(endpoints ?? [])])] };
    },
    {
      baseDelayMs: 200,
      maxDelayMs: 5_000,
      maxRetryAfterMs: 60_000,
      isRetryable: (error) => isKubeError(error) && (error.retryable || error.code === 'Forbidden'),
      onRetry: (error) => deps.log.warn({ err: error }, 'could not read the addresses of the cluster yet'),
    },
    deps.signal,
  );
}

/** The settings with these addresses, for this process and for its zippers. */
export function withClusterAddresses(
  config: ControllerConfig,
  { serviceCidrs = [], apiServer }: ClusterAddresses,
): ControllerConfig {
  const variables = {
    EGRESS_SERVICE_CIDRS: serviceCidrs.join(','),
    EGRESS_API_SERVER_ADDRESSES: apiServer.join(','),
  };
  const given = Object.entries(variables).filter(([, text]) => text !== '');
  return Object.freeze({
    ...config,
    egressServiceCidrs: serviceCidrs,
    egressApiServerAddresses: apiServer,
    zipperEnv: { ...config.zipperEnv, ...Object.fromEntries(given) },
  });
}
