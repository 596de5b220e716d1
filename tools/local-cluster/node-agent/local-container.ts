import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Refusal } from './container-command.ts';
import { ContainerProcess, type ContainerProcessOptions } from './container-process.ts';
import { ContainerConfigError } from './environment.ts';
import type { PodEvent } from './event-recorder.ts';
import { watchMemory } from './memory-limit.ts';
import type {
  Container,
  ContainerState,
  ContainerStatus,
  ContainerTermination,
  PodSpec,
} from './pod-types.ts';
import { type ProbeHandlers, runProbes } from './probes.ts';

export interface LocalContainerOptions {
  readonly spec: Container;
  readonly restartPolicy: NonNullable<PodSpec['restartPolicy']>;
  readonly graceSeconds: number;
  readonly address: string;
  /** Creates the command and env of the next run. Throws ContainerConfigError while something is missing. */
  readonly prepare: () => Promise<ContainerProcessOptions | { readonly refusal: Refusal }>;
  /** The time to report. */
  readonly now: () => Date;
  readonly onChange: () => void;
  readonly onEvent: (event: PodEvent) => void;
}

// Kubernetes waits 10 s to 5 min between restarts, which is too slow for tests.
const BACKOFF_MS = { first: 1_000, last: 10_000, resetAfter: 60_000 } as const;
const CONFIG_RETRY_MS = 500;

/** A container of a local pod: its consecutive runs and its status. */
export class LocalContainer {
  readonly #options: LocalContainerOptions;
  readonly #stop = new AbortController();
  #process: ContainerProcess | undefined;
  #killing: Promise<void> | undefined;
  readonly #hasten = Promise.withResolvers<void>();
  #state: ContainerState = { waiting: { reason: 'ContainerCreating' } };
  #lastState: ContainerState = {};
  #restarts = 0;
  #started = false;
  #ready = false;
  #id: string | undefined;
  #startedAt = '';

  constructor(options: LocalContainerOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.spec.name;
  }

  get process(): ContainerProcess | undefined {
    return this.#process;
  }

  get termination(): ContainerTermination | undefined {
    return this.#state.terminated;
  }

  get hasRun(): boolean {
    return this.#id !== undefined;
  }

  get status(): ContainerStatus {
    const { spec } = this.#options;
    return {
      name: spec.name,
      image: spec.image,
      imageID: '',
      ...(this.#id === undefined ? {} : { containerID: this.#id }),
      ready: this.#ready,
      started: this.#started,
      restartCount: this.#restarts,
      state: this.#state,
      lastState: this.#lastState,
    };
  }

  waitFor(reason: string, message?: string): void {
    this.#change({ waiting: message === undefined ? { reason } : { reason, message } });
  }

  /** Runs until the container has finished permanently or is stopped. */
  async run(): Promise<void> {
    let backoffMs: number = BACKOFF_MS.first;
    while (!this.#stop.signal.aborted) {
      const process = await this.#start();
      if (process === undefined) return;
      const exitCode = await this.#finish(process);
      if (!this.#restartsAfter(exitCode)) return;
      if (Date.now() - process.startedAt.getTime() > BACKOFF_MS.resetAfter) backoffMs = BACKOFF_MS.first;
      await this.#backOff(backoffMs);
      backoffMs = Math.min(backoffMs * 2, BACKOFF_MS.last);
    }
  }

  /** Stops the container: preStop, SIGTERM, and SIGKILL after the grace period. */
  async stop(graceSeconds: number): Promise<void> {
    this.#stop.abort();
    await this.#kill(graceSeconds, 'Stopping container');
  }

  /** Ends the grace period of an active stop. */
  hasten(): void {
    this.#hasten.resolve();
  }

  /** Kills the process without a report, because its cluster ends. */
  destroy(): void {
    this.#stop.abort();
    this.#hasten.resolve();
    this.#process?.destroy();
  }

  async #start(): Promise<ContainerProcess | undefined> {
    for (;;) {
      try {
        const prepared = await this.#options.prepare();
        if (this.#stop.signal.aborted) return undefined;
        if ('refusal' in prepared) return await this.#refuse(prepared.refusal);
        return this.#recordStart(await ContainerProcess.start(prepared));
      } catch (error) {
        const known = error instanceof ContainerConfigError;
        const message = error instanceof Error ? error.message : String(error);
        this.waitFor(known ? 'CreateContainerConfigError' : 'CreateContainerError', message);
      }
      if (!(await this.#pause(CONFIG_RETRY_MS))) return undefined;
    }
  }

  /** The node will never be able to run it, so the container waits until it is stopped. */
  async #refuse(refusal: Refusal): Promise<undefined> {
    const { image, name } = this.#options.spec;
    this.#options.onEvent({ type: 'Warning', reason: 'Failed', message: refusal.message, container: name });
    this.waitFor(refusal.reason, refusal.message);
    if (refusal.reason === 'ErrImagePull' && (await this.#pause(CONFIG_RETRY_MS))) {
      this.waitFor(
        'ImagePullBackOff',
        `Back-off pulling image "${image}": ${refusal.reason}: ${refusal.message}`,
      );
    }
    while (await this.#pause(2 ** 31 - 1));
    return undefined;
  }

  #recordStart(process: ContainerProcess): ContainerProcess {
    const { name } = this.#options.spec;
    this.#process = process;
    this.#id = `local://${randomUUID()}`;
    this.#startedAt = toTime(this.#options.now());
    this.#change({ running: { startedAt: this.#startedAt } });
    this.#options.onEvent({
      type: 'Normal',
      reason: 'Started',
      message: `Started container ${name}`,
      container: name,
    });
    return process;
  }

  async #finish(process: ContainerProcess): Promise<number> {
    const ended = new AbortController();
    const { spec, address } = this.#options;
    const probing = runProbes(spec, this.#probeHandlers(), { address, signal: ended.signal });
    let isOutOfMemory = false;
    const limit = spec.resources?.limits?.['memory'];
    const endWatch = watchMemory(process.pid, limit, (bytes) => {
      isOutOfMemory = true;
      process.signal('SIGKILL');
      const { name } = spec;
      const message = `Container ${name} has ${bytes} bytes, and its limit is ${limit}`;
      this.#options.onEvent({ type: 'Warning', reason: 'OOMKilling', message, container: name });
    });
    const { exitCode } = await process.exited;
    endWatch();
    ended.abort();
    await probing;
    process.destroy();
    const message = await process.terminationMessage(spec, exitCode);
    this.#process = undefined;
    this.#ready = false;
    this.#started = false;
    this.#change({
      terminated: {
        exitCode,
        reason: reasonOf(exitCode, isOutOfMemory),
        ...(message === '' ? {} : { message }),
        startedAt: this.#startedAt,
        finishedAt: toTime(this.#finishedAt()),
        containerID: this.#id ?? '',
      },
    });
    return exitCode;
  }

  /**
   * Never in the future: after a failure, the Job controller of Kubernetes waits for this time and its backoff before it
   * creates the next pod (backoff_utils.go), so a clock an hour ahead would delay every retry by an hour.
   */
  #finishedAt(): Date {
    return new Date(Math.min(Date.now(), this.#options.now().getTime()));
  }

  #probeHandlers(): ProbeHandlers {
    const { spec, graceSeconds, onEvent, onChange } = this.#options;
    return {
      onStarted: () => {
        this.#started = true;
        onChange();
      },
      onReady: (ready) => {
        this.#ready = ready;
        onChange();
      },
      onUnhealthy: (kind, problem) => {
        const message = `${kind} probe failed: ${problem}`;
        onEvent({ type: 'Warning', reason: 'Unhealthy', message, container: spec.name });
      },
      onDead: (kind) => {
        void this.#kill(
          graceSeconds,
          `Container ${spec.name} failed ${kind.toLowerCase()} probe, will be restarted`,
        );
      },
    };
  }

  /** Only one kill at a time. A second call waits for the first. */
  #kill(graceSeconds: number, why: string): Promise<void> {
    const process = this.#process;
    if (process === undefined) return Promise.resolve();
    this.#killing ??= this.#killProcess(process, graceSeconds, why).finally(() => {
      this.#killing = undefined;
    });
    return this.#killing;
  }

  async #killProcess(process: ContainerProcess, graceSeconds: number, why: string): Promise<void> {
    const { spec, onEvent } = this.#options;
    onEvent({ type: 'Normal', reason: 'Killing', message: why, container: spec.name });
    const over = new AbortController();
    const deadline = delay(graceSeconds * 1000, undefined, { signal: over.signal }).catch(() => undefined);
    const hurried = Promise.race([deadline, this.#hasten.promise, process.exited]);
    const preStopSeconds = spec.lifecycle?.preStop?.sleep?.seconds ?? 0;
    if (preStopSeconds > 0) {
      const slept = delay(preStopSeconds * 1000, undefined, { signal: over.signal }).catch(() => undefined);
      await Promise.race([slept, hurried]);
    }
    process.signal('SIGTERM');
    await hurried;
    process.signal('SIGKILL');
    await process.exited;
    over.abort();
  }

  #restartsAfter(exitCode: number): boolean {
    const { restartPolicy } = this.#options;
    if (this.#stop.signal.aborted) return false;
    return restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0);
  }

  async #backOff(ms: number): Promise<void> {
    const { name } = this.#options.spec;
    this.#lastState = this.#state;
    this.#restarts += 1;
    const message = `back-off ${ms / 1000}s restarting failed container=${name}`;
    this.#options.onEvent({ type: 'Warning', reason: 'BackOff', message, container: name });
    this.waitFor('CrashLoopBackOff', message);
    await this.#pause(ms);
    // Stopped during the wait, so the status shows how the last run ended.
    if (this.#stop.signal.aborted) this.#change(this.#lastState);
  }

  /** False if the container is stopped during the wait. */
  async #pause(ms: number): Promise<boolean> {
    return delay(ms, true, { signal: this.#stop.signal }).catch(() => false);
  }

  #change(state: ContainerState): void {
    this.#state = state;
    this.#options.onChange();
  }
}

function reasonOf(exitCode: number, isOutOfMemory: boolean): string {
  if (isOutOfMemory) return 'OOMKilled';
  return exitCode === 0 ? 'Completed' : 'Error';
}

function toTime(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, 'Z');
}
