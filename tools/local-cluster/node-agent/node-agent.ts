import type { ImageTable } from '../images.ts';
import { type KubeApi, untilResponded } from '../kube-api.ts';
import { Addresses } from './addresses.ts';
import { EventRecorder } from './event-recorder.ts';
import { LocalPod } from './local-pod.ts';
import { type ContainerLog, type LogServer, type LogServerOptions, startLogServer } from './log-server.ts';
import type { NodeContext } from './node-context.ts';
import { NodeLink } from './node-link.ts';
import { keepAlive, type NodeIdentity, registerNode } from './node-registration.ts';
import type { Pod } from './pod-types.ts';
import { watchPods } from './pod-watch.ts';
import { startWitness, type Witness } from './witness-node.ts';

/** A running container. */
export interface RunningContainer {
  readonly name: string;
  readonly pid: number;
  readonly startedAt: Date;
}

export interface RunningPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly containers: readonly RunningContainer[];
}

/** The interface of a node for tests. Disposing it kills all pods without a report. */
export interface NodeAgent extends AsyncDisposable {
  readonly name: string;
  /** The pods on the node. Only running containers are listed. */
  pods(): RunningPod[];
  /** Signals every running process of a pod. False if none runs. */
  kill(podUid: string, signal: NodeJS.Signals): boolean;
  /** Simulates a lost node: no heartbeat, no report, no new pod, but its processes continue. Kubernetes detects it after 16 s. */
  stop(): Promise<void>;
  /** Registers the node. After `stop`, it also reports what has happened since. */
  start(): Promise<void>;
}

export interface NodeAgentOptions {
  /** Authenticated as the node. */
  readonly api: KubeApi;
  /** Authenticated as cluster-admin, to create the witness when the only node is lost. Undefined for other nodes. */
  readonly witnessApi: KubeApi | undefined;
  readonly name: string;
  readonly dir: string;
  readonly launcher: string;
  readonly images: ImageTable;
  readonly apiServerUrlFor: NodeContext['apiServerUrlFor'];
  readonly extraEnvFor: NodeContext['extraEnvFor'];
  readonly clockAheadMsFor: NodeContext['clockAheadMsFor'];
  /** Settings of the log server for the API server. */
  readonly logAccess: Omit<LogServerOptions, 'find'>;
}

const HOST_IP = '127.0.0.1';
const REGISTER_RETRY_MS = 100;

export async function createNodeAgent(options: NodeAgentOptions): Promise<NodeAgent> {
  const pods = new Map<string, LocalPod>();
  function find(namespace: string, pod: string, container: string) {
    return findLog(pods, { namespace, pod, container });
  }
  const logs = await startLogServer({ ...options.logAccess, find });
  return new LocalNode(options, pods, logs);
}

class LocalNode implements NodeAgent {
  readonly name: string;
  readonly #api: KubeApi;
  readonly #witnessApi: KubeApi | undefined;
  readonly #identity: NodeIdentity;
  readonly #link = new NodeLink();
  readonly #context: NodeContext;
  readonly #pods: Map<string, LocalPod>;
  readonly #logs: LogServer;
  #witness: Witness | undefined;
  #session: { readonly controller: AbortController; readonly ended: Promise<unknown> } | undefined;

  constructor(options: NodeAgentOptions, pods: Map<string, LocalPod>, logs: LogServer) {
    const { api, witnessApi, name, dir, launcher, images } = options;
    const { apiServerUrlFor, extraEnvFor, clockAheadMsFor } = options;
    this.name = name;
    this.#api = api;
    this.#witnessApi = witnessApi;
    this.#pods = pods;
    this.#logs = logs;
    this.#identity = { name, hostIP: HOST_IP, logPort: logs.port };
    this.#context = {
      api,
      nodeName: name,
      hostIP: HOST_IP,
      dir,
      launcher,
      images,
      apiServerUrlFor,
      extraEnvFor,
      clockAheadMsFor,
      addresses: new Addresses(),
      events: new EventRecorder({ api, nodeName: name, link: this.#link }),
      link: this.#link,
    };
  }

  async start(): Promise<void> {
    if (this.#session !== undefined) return;
    const controller = new AbortController();
    const { signal } = controller;
    // Just after the start of the API server, the node's group may not have its permissions yet.
    await untilRegistered(this.#api, this.#identity, signal);
    this.#link.restore();
    const handlers = {
      onPod: (pod: Pod) => this.#onPod(pod),
      onGone: (uid: string) => this.#onGone(uid),
      onList: (uids: ReadonlySet<string>) => this.#onList(uids),
    };
    const ended = Promise.all([
      keepAlive(this.#api, this.#identity, signal),
      watchPods(this.#api, this.name, { handlers, signal }),
    ]);
    this.#session = { controller, ended };
    await this.#witness?.remove();
    this.#witness = undefined;
    for (const pod of this.#pods.values()) pod.report();
  }

  async stop(): Promise<void> {
    if (this.#session === undefined) return;
    await this.#leave();
    this.#witness = this.#witnessApi && (await startWitness(this.#witnessApi));
  }

  pods(): RunningPod[] {
    return [...this.#pods.values()].map(({ pod, containers }) => ({
      namespace: pod.metadata.namespace,
      name: pod.metadata.name,
      uid: pod.metadata.uid,
      containers: containers.flatMap(({ name, process }) =>
        process === undefined ? [] : [{ name, pid: process.pid, startedAt: process.startedAt }],
      ),
    }));
  }

  kill(podUid: string, signal: NodeJS.Signals): boolean {
    const processes = (this.#pods.get(podUid)?.containers ?? []).flatMap(({ process }) => process ?? []);
    for (const process of processes) process.signal(signal);
    return processes.length > 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const left = this.#leave();
    await Promise.all([...this.#pods.values()].map((pod) => pod.destroy()));
    await left;
    this.#witness?.abandon();
    await this.#logs[Symbol.asyncDispose]();
  }

  async #leave(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    this.#link.cut();
    session?.controller.abort();
    await session?.ended;
  }

  #onPod(pod: Pod): void {
    const { uid, deletionTimestamp } = pod.metadata;
    const known = this.#pods.get(uid);
    if (known !== undefined) {
      void known.update(pod);
      return;
    }
    const over = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
    // A pod that finished before this agent started has no process here.
    if (over && deletionTimestamp === undefined) return;
    const created = new LocalPod(pod, this.#context);
    this.#pods.set(uid, created);
    void created.update(pod);
  }

  #onGone(uid: string): void {
    const pod = this.#pods.get(uid);
    this.#pods.delete(uid);
    void pod?.vanish();
  }

  #onList(uids: ReadonlySet<string>): void {
    for (const uid of [...this.#pods.keys()].filter((uid) => !uids.has(uid))) this.#onGone(uid);
  }
}

async function untilRegistered(api: KubeApi, identity: NodeIdentity, signal: AbortSignal): Promise<void> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(30_000)]);
  await untilResponded(() => registerNode(api, identity), REGISTER_RETRY_MS, limit);
}

function findLog(
  pods: ReadonlyMap<string, LocalPod>,
  at: { readonly namespace: string; readonly pod: string; readonly container: string },
): ContainerLog | undefined {
  // A pod that was recreated with the same name comes later.
  const found = [...pods.values()].findLast(
    ({ pod }) => pod.metadata.namespace === at.namespace && pod.metadata.name === at.pod,
  );
  const container = found?.containers.find(({ name }) => name === at.container);
  if (found === undefined || container === undefined) return undefined;
  return { path: found.logPathOf(at.container), running: () => container.process !== undefined };
}
