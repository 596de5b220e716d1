import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createApiConfigSource } from './api-config-source.ts';
import { containerCommand, containerEnv, type Refusal } from './container-command.ts';
import type { ContainerProcessOptions } from './container-process.ts';
import type { DownwardView } from './downward-api.ts';
import { type ConfigSource, resolveEnvironment } from './environment.ts';
import { LocalContainer } from './local-container.ts';
import type { NodeContext } from './node-context.ts';
import { deletePod } from './pod-deletion.ts';
import { type PodReport, podReport, waitingStatus } from './pod-status.ts';
import { type Container, conditionStatus, type Pod, type PodCondition } from './pod-types.ts';
import { PodVolumes } from './pod-volumes.ts';
import { StatusWriter } from './status-writer.ts';
import { PodTokens } from './token-requests.ts';

const DEFAULT_GRACE_SECONDS = 30;
/** Grace period of a pod whose object was force-deleted. */
const VANISHED_GRACE_SECONDS = 1;

/**
 * One pod of the node, from binding to deletion:
 *
 *     volumes -> init containers one by one -> containers in parallel -> finished -> (deletion observed) -> deleted
 *
 * A deletion stops the containers at any point. The final report and the delete call follow after the last process has
 * exited.
 */
export class LocalPod {
  readonly #context: NodeContext;
  readonly #directory: string;
  readonly #address: string;
  readonly #startTime: string;
  readonly #stop = new AbortController();
  readonly #volumes: PodVolumes;
  readonly #status: StatusWriter;
  readonly #source: ConfigSource;
  readonly #initContainers: readonly LocalContainer[];
  readonly #containers: readonly LocalContainer[];
  readonly #completed: Promise<void>;
  #pod: Pod;
  #conditions: readonly PodCondition[] = [];
  #initialized = false;
  #finished = false;
  #deleting: Promise<void> | undefined;
  #hastenTimer: NodeJS.Timeout | undefined;

  constructor(pod: Pod, context: NodeContext) {
    this.#pod = pod;
    this.#context = context;
    this.#startTime = nodeTime(pod, context)
      .toISOString()
      .replace(/\.\d+Z$/, 'Z');
    this.#address = context.addresses.take();
    const { namespace, name, uid } = pod.metadata;
    this.#directory = join(context.dir, 'pods', `${namespace}_${name}_${uid}`);
    this.#source = createApiConfigSource(context.api);
    const tokens = new PodTokens(context.api);
    this.#volumes = new PodVolumes({
      directory: join(this.#directory, 'volumes'),
      context: () => ({
        view: this.#view(),
        source: this.#source,
        tokenFor: (source, ofPod) => tokens.tokenFor(source, ofPod),
      }),
      onWaiting: (message) =>
        context.events.record(this.#pod, { type: 'Warning', reason: 'FailedMount', message }),
    });
    const { api, link } = context;
    this.#status = new StatusWriter({ api, link, pod, report: () => this.#report() });
    const restartOf = pod.spec.restartPolicy ?? 'Always';
    const initRestart = restartOf === 'Never' ? 'Never' : 'OnFailure';
    this.#initContainers = (pod.spec.initContainers ?? []).map((spec) => this.#container(spec, initRestart));
    this.#containers = pod.spec.containers.map((spec) => this.#container(spec, restartOf));
    this.#completed = this.#run();
  }

  get pod(): Pod {
    return this.#pod;
  }

  get containers(): readonly LocalContainer[] {
    return [...this.#initContainers, ...this.#containers];
  }

  /** The log file of all runs of a container. */
  logPathOf(container: string): string {
    return join(this.#directory, `${container}.log`);
  }

  /** Accepts a newer version of the object. If it is being deleted, resolves when the deletion is complete. */
  update(pod: Pod): Promise<void> {
    const before = this.#pod;
    this.#pod = pod;
    if (pod.metadata.deletionTimestamp !== undefined) return this.#delete(pod);
    if (!sameText(before.metadata, pod.metadata)) void this.#volumes.refreshDownward(pod);
    // Kubernetes marks the pods of a silent node as not ready, and expects the node to correct that.
    if (conditionStatus(before, 'Ready') === 'True' && conditionStatus(pod, 'Ready') === 'False')
      void this.#status.repair();
    return Promise.resolve();
  }

  /** The object no longer exists. Ends the remaining processes after a short grace period. */
  async vanish(): Promise<void> {
    this.#status.close();
    this.#hastenIn(VANISHED_GRACE_SECONDS);
    await this.#end(VANISHED_GRACE_SECONDS);
    await this.#removeVolumes();
  }

  /** Kills all processes without a report, because the cluster ends. */
  async destroy(): Promise<void> {
    this.#status.close();
    this.#stop.abort();
    clearTimeout(this.#hastenTimer);
    for (const container of this.containers) container.destroy();
    await this.#completed;
  }

  /** Reports again after the node was disconnected. */
  report(): void {
    void this.#status.changed();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const report = (): void => this.report();
    report();
    try {
      await mkdir(join(this.#directory, 'home'), { recursive: true });
      await this.#volumes.mount(this.#pod, signal);
      void this.#volumes.keepFresh(this.#pod, signal);
      if (await this.#initialize()) {
        this.#initialized = true;
        report();
        await Promise.all(this.#containers.map((container) => container.run()));
      }
    } catch (error) {
      // Expected for a wait that the deletion aborted. Any other error is a bug of the agent and must be visible.
      if (!signal.aborted) process.emitWarning(asError(error));
    }
    this.#finished = true;
    this.#stop.abort();
    report();
  }

  /** False if an init container failed permanently or the pod is being deleted. */
  async #initialize(): Promise<boolean> {
    for (const container of this.#initContainers) {
      await container.run();
      if (container.termination?.exitCode !== 0) return false;
    }
    return !this.#stop.signal.aborted;
  }

  #delete(pod: Pod): Promise<void> {
    const { deletionTimestamp = '', deletionGracePeriodSeconds = DEFAULT_GRACE_SECONDS } = pod.metadata;
    // A second deletion with a shorter grace period sets an earlier timestamp.
    if (!this.#finished) this.#hastenIn(Math.max(0, (Date.parse(deletionTimestamp) - Date.now()) / 1000) + 1);
    this.#deleting ??= this.#carryOutDeletion(pod, deletionGracePeriodSeconds);
    return this.#deleting;
  }

  async #carryOutDeletion(pod: Pod, graceSeconds: number): Promise<void> {
    await this.#end(graceSeconds);
    await this.#status.changed();
    await this.#removeVolumes();
    await deletePod(this.#context, pod);
  }

  async #end(graceSeconds: number): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.containers.map((container) => container.stop(graceSeconds)));
    await this.#completed;
    clearTimeout(this.#hastenTimer);
  }

  #hastenIn(seconds: number): void {
    clearTimeout(this.#hastenTimer);
    this.#hastenTimer = setTimeout(() => {
      for (const container of this.containers) container.hasten();
    }, seconds * 1000);
  }

  /** Logs are kept until the cluster ends, but Secrets are not. */
  async #removeVolumes(): Promise<void> {
    this.#context.addresses.release(this.#address);
    await rm(join(this.#directory, 'volumes'), { recursive: true, force: true, maxRetries: 5 });
  }

  #container(spec: Container, restartPolicy: 'Always' | 'OnFailure' | 'Never'): LocalContainer {
    return new LocalContainer({
      spec,
      restartPolicy,
      graceSeconds: this.#pod.spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS,
      address: this.#address,
      prepare: () => this.#prepare(spec),
      now: () => nodeTime(this.#pod, this.#context),
      onChange: () => this.report(),
      onEvent: (event) => this.#context.events.record(this.#pod, event),
    });
  }

  async #prepare(spec: Container): Promise<ContainerProcessOptions | { readonly refusal: Refusal }> {
    const { images, api, launcher, apiServerUrlFor, extraEnvFor } = this.#context;
    const own = await resolveEnvironment(spec, this.#view(), this.#source);
    const rules = this.#volumes.rulesFor(spec);
    const choice = containerCommand(spec, images, { env: own, rules });
    if ('refusal' in choice) return choice;
    const terminationPath = join(this.#directory, `${spec.name}.termination`);
    const compileCache = process.env['NODE_COMPILE_CACHE'] ?? join(this.#context.dir, 'compile-cache');
    const paths = { rules, terminationPath, home: join(this.#directory, 'home'), compileCache };
    const apiServerUrl = apiServerUrlFor(this.#pod) ?? api.url;
    const imageEnv = images.environmentOf(spec.image);
    const at = { ...paths, imageEnv, apiServerUrl, podIP: this.#address };
    const env = { ...containerEnv(spec, own, at), ...extraEnvFor(this.#pod) };
    return {
      launcher,
      command: choice.command,
      env,
      workingDirectory: images.root,
      logPath: this.logPathOf(spec.name),
      terminationPath,
    };
  }

  #view(): DownwardView {
    const { hostIP, nodeName } = this.#context;
    return { pod: this.#pod, podIP: this.#address, hostIP, nodeName };
  }

  #report(): PodReport {
    const { spec } = this.#pod;
    const waiting = this.#initialized || this.#initContainers.length === 0 ? undefined : waitingStatus;
    const facts = {
      initContainers: this.#initContainers.map(({ status }) => status),
      containers: this.#containers.map(({ status }, index) => {
        const container = spec.containers[index];
        return waiting === undefined || container === undefined ? status : waiting(container);
      }),
      initialized: this.#initialized,
      finished: this.#finished,
      podIP: this.#address,
      hostIP: this.#context.hostIP,
      startTime: this.#startTime,
    };
    const report = podReport(facts, this.#conditions, nodeTime(this.#pod, this.#context));
    this.#conditions = report.conditions;
    return report;
  }
}

/** The time in what the node reports about a pod. */
function nodeTime(pod: Pod, { clockAheadMsFor }: NodeContext): Date {
  return new Date(Date.now() + clockAheadMsFor(pod));
}

function sameText(a: Pod['metadata'], b: Pod['metadata']): boolean {
  return JSON.stringify([a.labels, a.annotations]) === JSON.stringify([b.labels, b.annotations]);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
