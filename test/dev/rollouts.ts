import { leaseHolder } from '#test/support/processes/controller-pods.ts';
import { RELEASE, RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { until } from '#test/support/until.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import type { KubeApi } from '#tools/local-cluster/kube-api.ts';
import {
  type ContainerStatus,
  conditionStatus,
  type Pod as PodObject,
  type PodStatus,
} from '#tools/local-cluster/node-agent/pod-types.ts';
import type { Component } from './change-effects.ts';

const LIMIT_MS = 60_000;
const POLL_MS = 100;
/** Room for Node's report of a syntax error. */
const LOG_LINES = '30';
const REVISION = 'deployment.kubernetes.io/revision';
const TEMPLATE_HASH = 'pod-template-hash';
const APPS = `/apis/apps/v1/namespaces/${RELEASE_NAMESPACE}`;

export interface RolloutFailure {
  readonly component: Component;
  readonly reason: 'crashed' | { readonly afterMs: number };
  /** The last lines of its log. */
  readonly log: string;
  /** A pod of an earlier version is ready. */
  readonly isServed: boolean;
}

/** Restarts the Deployments of the installed chart and waits for them. */
export interface Rollouts {
  /** Replaces the pods of a component. The old ones run until the new ones are ready. Returns undefined on success. */
  restart(component: Component): Promise<RolloutFailure | undefined>;
  /** Waits until only pods of the newest version run. Returns undefined on success. */
  wait(component: Component): Promise<RolloutFailure | undefined>;
}

interface Owned {
  readonly metadata: {
    readonly generation?: number;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

interface Deployment extends Owned {
  readonly spec: { readonly replicas: number };
  readonly status: {
    readonly observedGeneration?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
  };
}

interface Pod extends PodObject {
  readonly status?: PodStatus & { readonly containerStatuses?: readonly ContainerStatus[] };
}

interface RolloutState {
  /** The pods of the newest version are ready and no other pods are left. */
  readonly isComplete: boolean;
  readonly crashed: Pod | undefined;
  readonly newest: readonly Pod[];
  readonly isServed: boolean;
}

function isReady(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp === undefined && conditionStatus(pod, 'Ready') === 'True';
}

function hasCrashed(pod: Pod): boolean {
  return (
    !isReady(pod) &&
    (pod.status?.containerStatuses ?? []).some(
      ({ restartCount, state }) => restartCount > 0 || state.terminated !== undefined,
    )
  );
}

function stateOf(deployment: Deployment, hash: string | undefined, pods: readonly Pod[]): RolloutState {
  const { metadata, spec, status } = deployment;
  const newest = pods.filter(({ metadata: { labels } }) => labels?.[TEMPLATE_HASH] === hash);
  const isObserved = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  return {
    isComplete:
      isObserved &&
      (status.updatedReplicas ?? 0) === spec.replicas &&
      (status.availableReplicas ?? 0) === spec.replicas &&
      newest.length === pods.length &&
      newest.every(isReady),
    crashed: isObserved ? newest.find(hasCrashed) : undefined,
    newest,
    isServed: pods.some((pod) => isReady(pod) && !newest.includes(pod)),
  };
}

async function readState(api: KubeApi, component: Component): Promise<RolloutState> {
  const selector = `labelSelector=${encodeURIComponent(`app.kubernetes.io/component=${component}`)}`;
  const deployment = await api.get<Deployment>(`${APPS}/deployments/${RELEASE}-${component}`);
  const [sets, pods] = await Promise.all([
    api.get<{ items: readonly Owned[] }>(`${APPS}/replicasets?${selector}`),
    api.get<{ items: readonly Pod[] }>(`/api/v1/namespaces/${RELEASE_NAMESPACE}/pods?${selector}`),
  ]);
  const revision = deployment.metadata.annotations?.[REVISION];
  const newest = sets.items.find(({ metadata }) => metadata.annotations?.[REVISION] === revision);
  return stateOf(deployment, newest?.metadata.labels?.[TEMPLATE_HASH], pods.items);
}

/** A controller does nothing until it leads. */
async function leads(api: KubeApi, pods: readonly Pod[]): Promise<boolean> {
  const holder = await leaseHolder(api);
  return pods.some(({ metadata }) => holder.startsWith(metadata.name));
}

/** Both methods throw when the signal aborts or the API server cannot be reached. */
export function createRollouts(deps: {
  readonly cluster: Pick<Cluster, 'kubectl'>;
  readonly api: KubeApi;
  readonly signal: AbortSignal;
}): Rollouts {
  const { cluster, api, signal } = deps;
  async function logOf(pod: Pod | undefined): Promise<string> {
    if (pod === undefined) return '';
    const args = ['logs', '-n', RELEASE_NAMESPACE, pod.metadata.name, '--tail', LOG_LINES];
    const { stdout, stderr } = await cluster.kubectl(args, { allowFailure: true });
    return stdout === '' ? stderr : stdout;
  }
  const wait: Rollouts['wait'] = async (component) => {
    let state: RolloutState | undefined;
    async function poll(): Promise<boolean> {
      state = await readState(api, component);
      if (state.crashed !== undefined) return true;
      return state.isComplete && (component !== 'controller' || (await leads(api, state.newest)));
    }
    const waiting = until(`the ${component} to run`, poll, {
      limitMs: LIMIT_MS,
      intervalMs: POLL_MS,
      signal,
    });
    const isOver = await waiting.catch((error: unknown) => {
      signal.throwIfAborted();
      // No call to the API server succeeded.
      if (state === undefined) throw error;
      return false;
    });
    if (state === undefined || (isOver && state.crashed === undefined)) return undefined;
    const log = await logOf(state.crashed ?? state.newest[0]);
    return { component, reason: isOver ? 'crashed' : { afterMs: LIMIT_MS }, log, isServed: state.isServed };
  };
  return {
    wait,
    restart: async (component) => {
      // `kubectl rollout restart` sets the same annotation in whole seconds, so it ignores a second restart within one.
      const annotations = { 'kubectl.kubernetes.io/restartedAt': new Date().toISOString() };
      await api.patch(`${APPS}/deployments/${RELEASE}-${component}`, {
        spec: { template: { metadata: { annotations } } },
      });
      return wait(component);
    },
  };
}
