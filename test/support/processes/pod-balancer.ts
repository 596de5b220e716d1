import { Pool } from 'undici';
import type { KubeApi } from '#tools/local-cluster/kube-api.ts';
import { followObjects } from '../clients/follow-objects.ts';
import { RELEASE_NAMESPACE } from './installation.ts';

const PODS = `/api/v1/namespaces/${RELEASE_NAMESPACE}/pods?labelSelector=app.kubernetes.io%2Fcomponent%3Dapi`;
const PORT = 8080;
/** Delay between a change of a pod and the moment when a load balancer stops sending to it. */
const LAG_MS = 1_000;

interface ApiPod {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion?: string;
    readonly deletionTimestamp?: string;
  };
  readonly status?: {
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

export interface BalancedRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly token: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface BalancedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/**
 * A client of the API's Service: it distributes requests round-robin over the ready pods with keep-alive
 * connections. Like an ingress, it learns of changes late and retries nothing.
 */
export interface PodBalancer extends AsyncDisposable {
  /** The current targets. */
  readonly addresses: readonly string[];
  request(request: BalancedRequest): Promise<BalancedResponse>;
  /** Sends to one of them. */
  requestTo(address: string, request: BalancedRequest): Promise<BalancedResponse>;
}

function isReady({ metadata, status }: ApiPod): boolean {
  return (
    metadata.deletionTimestamp === undefined &&
    (status?.conditions ?? []).some((one) => one.type === 'Ready' && one.status === 'True')
  );
}

export async function balanceOverPods(admin: KubeApi): Promise<PodBalancer> {
  const ready = new Set<string>();
  const pools = new Map<string, Pool>();
  function note(pod: ApiPod): void {
    const address = pod.status?.podIP;
    if (address === undefined) return;
    if (isReady(pod)) ready.add(address);
    else ready.delete(address);
  }
  const following = await followObjects<ApiPod, undefined>(admin, PODS, (pod) => {
    setTimeout(() => note(pod), LAG_MS).unref();
    return undefined;
  });
  for (const pod of (await admin.get<{ items: ApiPod[] }>(PODS)).items) note(pod);

  function poolOf(address: string): Pool {
    const pool =
      pools.get(address) ??
      // Unlimited connections: a request that waits here for one would be sent too late.
      new Pool(`http://${address}:${PORT}`, { pipelining: 1 });
    pools.set(address, pool);
    return pool;
  }
  async function requestTo(address: string, request: BalancedRequest): Promise<BalancedResponse> {
    const { method, path, token, body } = request;
    const response = await poolOf(address).request({
      method,
      path,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...request.headers,
      },
      body: body ?? null,
    });
    return { status: response.statusCode, headers: response.headers, text: await response.body.text() };
  }
  let next = 0;
  return {
    get addresses() {
      return [...ready];
    },
    request: async (request) => {
      if (following.failure !== undefined)
        throw new Error('the pods are not watched', { cause: following.failure });
      next += 1;
      const address = [...ready][next % Math.max(1, ready.size)];
      if (address === undefined) throw new Error('no API pod is ready');
      return requestTo(address, request);
    },
    requestTo,
    [Symbol.asyncDispose]: async () => {
      following[Symbol.dispose]();
      await Promise.all(Array.from(pools.values(), (pool) => pool.destroy()));
    },
  };
}
