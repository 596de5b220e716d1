import type { Container, ContainerStatus, PodCondition, PodPhase } from './pod-types.ts';

/** The state of a pod's containers, and of the pod on this node. */
export interface PodFacts {
  readonly initContainers: readonly ContainerStatus[];
  readonly containers: readonly ContainerStatus[];
  readonly initialized: boolean;
  /** No container runs, and none will start. */
  readonly finished: boolean;
  readonly podIP: string;
  readonly hostIP: string;
  readonly startTime: string;
}

/** The status that the node reports. The API server keeps the conditions of other writers. */
export interface PodReport {
  readonly phase: PodPhase;
  readonly conditions: readonly PodCondition[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly containerStatuses: readonly ContainerStatus[];
  readonly podIP: string;
  readonly podIPs: readonly { readonly ip: string }[];
  readonly hostIP: string;
  readonly hostIPs: readonly { readonly ip: string }[];
  readonly startTime: string;
}

/** The status to report. An unchanged condition keeps its time. */
export function podReport(facts: PodFacts, previous: readonly PodCondition[], now: Date): PodReport {
  const phase = podPhase(facts);
  const { podIP, hostIP } = facts;
  return {
    phase,
    conditions: conditionsOf(facts, phase).map((condition) => {
      const old = previous.find(({ type }) => type === condition.type);
      const same = old?.status === condition.status ? old.lastTransitionTime : undefined;
      return { ...condition, lastTransitionTime: same ?? now.toISOString().replace(/\.\d+Z$/, 'Z') };
    }),
    ...(facts.initContainers.length === 0 ? {} : { initContainerStatuses: facts.initContainers }),
    containerStatuses: facts.containers,
    podIP,
    podIPs: [{ ip: podIP }],
    hostIP,
    hostIPs: [{ ip: hostIP }],
    startTime: facts.startTime,
  };
}

function podPhase(facts: Pick<PodFacts, 'containers' | 'finished' | 'initialized'>): PodPhase {
  if (facts.finished) {
    return facts.containers.every(({ state }) => state.terminated?.exitCode === 0) ? 'Succeeded' : 'Failed';
  }
  const startedState = facts.containers.some(({ containerID }) => containerID !== undefined);
  return facts.initialized && startedState ? 'Running' : 'Pending';
}

function conditionsOf(facts: PodFacts, phase: PodPhase): PodCondition[] {
  const notReady = facts.containers.filter(({ ready }) => !ready).map(({ name }) => name);
  const ready = readiness(notReady, phase);
  return [
    { type: 'PodReadyToStartContainers', status: facts.finished ? 'False' : 'True' },
    { type: 'Initialized', status: facts.initialized ? 'True' : 'False' },
    { type: 'ContainersReady', ...ready },
    { type: 'Ready', ...ready },
  ];
}

function readiness(notReady: readonly string[], phase: PodPhase): Omit<PodCondition, 'type'> {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  if (notReady.length === 0) return { status: 'True' };
  const message = `containers with unready status: [${notReady.join(' ')}]`;
  return { status: 'False', reason: 'ContainersNotReady', message };
}

/** Status of a container that has not started yet. */
export function waitingStatus(container: Container): ContainerStatus {
  return {
    name: container.name,
    image: container.image,
    imageID: '',
    ready: false,
    started: false,
    restartCount: 0,
    state: { waiting: { reason: 'PodInitializing' } },
    lastState: {},
  };
}
