/** Pods and Jobs for the local cluster's own tests, and functions that read their status. */
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';

export interface Termination {
  readonly exitCode: number;
  readonly reason: string;
  readonly message?: string;
}

export interface PodObject {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly status: {
    readonly phase: string;
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses?: readonly {
      readonly restartCount: number;
      readonly ready: boolean;
      readonly state: { readonly waiting?: { readonly reason: string }; readonly terminated?: Termination };
      readonly lastState: { readonly terminated?: Termination };
    }[];
  };
}

export type Env = Readonly<Record<string, string>>;

export function aPod(name: string, container: object) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: name } },
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', ...container }] },
  };
}

export function aPodWithVolumes() {
  const env = [
    ...toEnv({
      KEY_FILE: '/etc/zipjobs/secret/renamed',
      TASK_DIR: '/etc/zipjobs/task',
      GREETING: 'hello $(NAME)',
    }),
    { name: 'FROM_SECRET', valueFrom: { secretKeyRef: { name: 'late', key: 'key' } } },
    { name: 'LIMIT', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } } },
  ];
  const volumeMounts = [
    { name: 'secret', mountPath: '/etc/zipjobs/secret' },
    { name: 'task', mountPath: '/etc/zipjobs/task/' },
  ];
  const task = { path: 'task.json', fieldRef: { fieldPath: "metadata.annotations['zipjobs.dev/task']" } };
  const resources = { limits: { memory: '64Mi' } };
  const pod = aPod('mounts', { ...aServer(env), volumeMounts, resources });
  return {
    ...pod,
    metadata: { ...pod.metadata, annotations: { 'zipjobs.dev/task': '{"a":1}' } },
    spec: {
      ...pod.spec,
      volumes: [
        { name: 'secret', secret: { secretName: 'late', items: [{ key: 'key', path: 'renamed' }] } },
        { name: 'task', downwardAPI: { items: [task] } },
      ],
    },
  };
}

export function aDeployment(name: string, image: string) {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image }] } },
    },
  };
}

export function aJob(name: string, exitCode: string) {
  const onExitCodes = { containerName: 'main', operator: 'In', values: [12] };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name },
    spec: {
      backoffLimit: 3,
      podReplacementPolicy: 'Failed',
      podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes }] },
      template: {
        spec: {
          restartPolicy: 'Never',
          containers: [{ name: 'main', image: 'test-exits', env: toEnv({ EXIT_CODE: exitCode }) }],
        },
      },
    },
  };
}

/** A container that becomes ready once it responds. */
export function aServer(env: readonly object[] = []): object {
  const readinessProbe = { httpGet: { path: '/ready', port: 8080 } };
  return { image: 'test-responses', env: [...hostEnv(), ...env], readinessProbe };
}

function hostEnv(): object[] {
  return [
    { name: 'HOST', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    { name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  ];
}

export function toEnv(values: Env): object[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}

export function terminationOf(pod: PodObject): Termination {
  const termination = pod.status.containerStatuses?.[0]?.state.terminated;
  if (termination === undefined) throw new Error(`pod ${pod.metadata.name} did not terminate`);
  return termination;
}

export function isReady({ status }: PodObject): boolean | undefined {
  return status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True');
}

export function restartsOf({ status }: PodObject): number {
  return status.containerStatuses?.[0]?.restartCount ?? 0;
}

export function runningPids(cluster: Cluster, uid: string): number[] {
  return cluster.node.pods().flatMap((pod) => (pod.uid === uid ? pod.containers.map(({ pid }) => pid) : []));
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
