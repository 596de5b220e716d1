import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { type KubeApi, KubeApiError } from '../kube-api.ts';
import { chosenKubernetes } from '../kubernetes-versions.ts';
import { NODE_RESOURCES } from './downward-api.ts';

export interface NodeIdentity {
  readonly name: string;
  readonly hostIP: string;
  /** Port at which the API server requests logs. */
  readonly logPort: number;
  /** The node accepts no pods. */
  readonly unschedulable?: boolean;
}

const MAX_PODS = 500;
const HEARTBEAT_MS = 3_000;
const LEASE_SECONDS = 12;
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

/** Creates the Node object, or updates an existing one. */
export async function registerNode(api: KubeApi, identity: NodeIdentity): Promise<void> {
  const status = nodeStatus(identity, new Date());
  const { name, unschedulable = false } = identity;
  const labels = {
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    'kubernetes.io/arch': architecture(),
  };
  const node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    spec: { unschedulable },
    status,
  };
  try {
    await api.create('/api/v1/nodes', node);
  } catch (error) {
    if (!(error instanceof KubeApiError) || error.code !== 409) throw error;
  }
  await api.patch(`/api/v1/nodes/${name}/status`, { status });
}

interface Node {
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** Kubernetes marks a silent node as not ready, and expects the node to correct that. */
async function sayReady(api: KubeApi, identity: NodeIdentity, signal: AbortSignal): Promise<void> {
  const path = `/api/v1/nodes/${identity.name}`;
  const { status } = await api.get<Node>(path, signal);
  const isReady = status.conditions?.some((one) => one.type === 'Ready' && one.status === 'True');
  if (isReady !== true) await api.patch(`${path}/status`, { status: nodeStatus(identity, new Date()) });
}

/** Renews the node's Lease until the signal aborts. */
export async function keepAlive(api: KubeApi, identity: NodeIdentity, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // The next heartbeat follows anyway.
    await renewLease(api, identity, signal).catch(() => undefined);
    await sayReady(api, identity, signal).catch(() => undefined);
    await delay(HEARTBEAT_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function renewLease(api: KubeApi, { name }: NodeIdentity, signal: AbortSignal): Promise<void> {
  const spec = {
    holderIdentity: name,
    leaseDurationSeconds: LEASE_SECONDS,
    // The MicroTime format has six fractional digits.
    renewTime: new Date().toISOString().replace('Z', '000Z'),
  };
  try {
    await api.patch(`${LEASES}/${name}`, { spec });
  } catch (error) {
    if (!(error instanceof KubeApiError) || error.code !== 404 || signal.aborted) throw error;
    await api.create(LEASES, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name },
      spec,
    });
  }
}

function nodeStatus({ name, hostIP, logPort }: NodeIdentity, now: Date): object {
  const time = now.toISOString().replace(/\.\d+Z$/, 'Z');
  const resources = { ...NODE_RESOURCES, pods: String(MAX_PODS) };
  function condition(type: string, status: string, reason: string): object {
    return {
      type,
      status,
      reason,
      message: reason,
      lastHeartbeatTime: time,
      lastTransitionTime: time,
    };
  }
  return {
    capacity: resources,
    allocatable: resources,
    addresses: [
      { type: 'InternalIP', address: hostIP },
      { type: 'Hostname', address: name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: logPort } },
    conditions: [
      condition('Ready', 'True', 'KubeletReady'),
      condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory'),
      condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure'),
      condition('PIDPressure', 'False', 'KubeletHasSufficientPID'),
    ],
    nodeInfo: {
      architecture: architecture(),
      operatingSystem: 'linux',
      osImage: `local processes of ${hostname()}`,
      kernelVersion: '',
      machineID: name,
      systemUUID: name,
      bootID: name,
      containerRuntimeVersion: `node://${process.versions.node}`,
      kubeletVersion: `v${chosenKubernetes().version}`,
      kubeProxyVersion: '',
    },
  };
}

function architecture(): string {
  return process.arch === 'x64' ? 'amd64' : process.arch;
}
