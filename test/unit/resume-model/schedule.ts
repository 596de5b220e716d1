/** Plays one schedule: everybody acts at random times, and faults happen, until the job and all of its processes are over. */

import { isEnded } from '#controller/cluster/pod-state.ts';
import { FINALIZER } from '#crds/api-group.ts';
import { hasActivePod, isFinished } from '#crds/zip-job.ts';
import { jobDeadline, reconcileJobs } from '#test/support/worlds/job-world/world-jobs.ts';
import type { ModelProcess } from './model-process.ts';
import type { ModelWorld } from './model-world.ts';
import { Traps } from './traps.ts';

/** In which faults happen. */
const ROUGH_MS = 240_000;
/** After the end of the job: zombies wake, and late requests arrive. */
const AFTERWARDS_MS = 900_000;
const LONGEST_MS = 4 * 3600_000;
const KILL_AFTER_MS = 30_000;

type Actor = 'controller' | 'jobs' | 'kubelet';

const PAUSES: Readonly<Record<Actor, number>> = { controller: 1_200, jobs: 900, kubelet: 900 };

/** Changes when anything does that an actor looks at. The Job controller writes each Job in each round. */
function versionOf({ zipJobs, jobs, pods }: ModelWorld): string {
  const versions = [...zipJobs.all(), ...pods.all()].map(
    ({ metadata }) => `${metadata.name}${metadata.resourceVersion}`,
  );
  const states = jobs
    .all()
    .map(({ metadata, status, spec }) => [
      metadata.uid,
      metadata.deletionTimestamp,
      status?.failed,
      status?.conditions?.length,
      spec?.backoffLimit,
    ]);
  return `${versions.join()} ${states.join()}`;
}

export class Schedule {
  readonly #world: ModelWorld;
  readonly #pending = new Set<Actor>();
  readonly #killAt = new Map<string, number>();
  readonly #deadlines = new Set<number>();
  #version = '';
  #requeued = 0;
  readonly #traps: Traps;
  isCalm = false;

  constructor(world: ModelWorld) {
    this.#world = world;
    this.#traps = new Traps(world);
  }

  async play(): Promise<void> {
    const { time } = this.#world;
    this.#plan();
    time.after(ROUGH_MS, () => this.#calm());
    await this.#until(LONGEST_MS, () => this.#isDone);
    await this.#until(time.nowMs + AFTERWARDS_MS, () => false);
  }

  get #isDone(): boolean {
    const { zipJob } = this.#world;
    if (!this.isCalm) return zipJob === undefined;
    return (
      !zipJob ||
      (isFinished(zipJob) && !hasActivePod(zipJob) && !zipJob.metadata.finalizers?.includes(FINALIZER))
    );
  }

  async #until(ms: number, isDone: () => boolean): Promise<void> {
    const { time } = this.#world;
    for (;;) {
      const isMore = await time.next(ms);
      this.#world.now = time.date;
      if (this.#world.broken !== undefined) throw this.#world.broken as Error;
      if (!isMore || isDone()) return;
      this.#wakeActors();
    }
  }

  #wakeActors(): void {
    const world = this.#world;
    const { time } = world;
    const version = versionOf(world);
    if (version !== this.#version) {
      this.#version = version;
      for (const actor of ['controller', 'jobs', 'kubelet'] as const) this.#wake(actor);
    }
    const next = world.requeue.next?.getTime() ?? 0;
    if (next !== 0 && next !== this.#requeued) {
      this.#requeued = next;
      time.after(next - world.now.getTime(), () => this.#wake('controller'));
    }
  }

  #wake(actor: Actor): void {
    if (this.#pending.has(actor)) return;
    this.#pending.add(actor);
    const { time, random } = this.#world;
    time.after(random.int(10, PAUSES[actor]), () => {
      this.#world.now = time.date;
      this.#pending.delete(actor);
      this.#act(actor);
    });
  }

  #act(actor: Actor): void {
    const world = this.#world;
    switch (actor) {
      case 'controller':
        if (world.isReconciling) this.#wake('controller');
        else
          void world.reconcile().catch((error: unknown) => {
            world.broken ??= error;
          });
        return;
      case 'jobs':
        world.collectGarbage();
        reconcileJobs(world);
        world.bindPods();
        this.#followDeadlines();
        return;
      case 'kubelet':
        this.#stopPods();
    }
  }

  #followDeadlines(): void {
    const { time, now } = this.#world;
    for (const job of this.#world.jobs.all()) {
      const at = jobDeadline(this.#world, job);
      if (!at || at <= now || this.#deadlines.has(at.getTime())) continue;
      this.#deadlines.add(at.getTime());
      time.after(at.getTime() - now.getTime() + 1, () => this.#wake('jobs'));
    }
  }

  /** SIGTERM, and SIGKILL at the end of the grace period. */
  #stopPods(): void {
    const world = this.#world;
    for (const process of world.models) {
      const live = world.pod(process.pod.metadata.name);
      if (live?.metadata.deletionTimestamp === undefined || process.isLost) continue;
      if (isEnded(live)) world.forgetPod(live);
      else this.#stop(process);
    }
  }

  #stop(process: ModelProcess): void {
    const { time } = this.#world;
    const known = this.#killAt.get(process.uid);
    if (known !== undefined) return;
    this.#killAt.set(process.uid, time.nowMs + KILL_AFTER_MS);
    process.terminate();
    time.after(KILL_AFTER_MS, () => process.end({ exitCode: 137 }));
  }

  /** Faults at random times. */
  #plan(): void {
    const { random, time } = this.#world;
    const world = this.#world;
    world.faults.rate = random.pick([0, 0.02, 0.02, 0.1]);
    world.apiFaults = random.pick([0, 0.02, 0.1]);
    const weights = { ...WEIGHTS };
    const number = random.int(1, 6);
    for (let index = 0; index < number; index += 1)
      time.after(random.int(20_000, ROUGH_MS / 2), () => {
        world.now = time.date;
        this.#fault(draw(random.next(), weights));
      });
  }

  #fault(name: Fault): void {
    FAULTS[name](this.#world);
    this.#wake('controller');
    this.#wake('jobs');
    this.#wake('kubelet');
  }

  #calm(): void {
    const world = this.#world;
    const { time, random } = world;
    this.isCalm = true;
    this.#traps.isActive = false;
    world.faults.rate = 0;
    world.apiFaults = 0;
    world.killIn = Infinity;
    world.lag(() => false);
    for (const process of world.models)
      if (process.isFrozen) time.after(random.int(0, AFTERWARDS_MS / 2), () => process.thaw());
    world.requeue.add(world.now, 0);
    this.#wake('controller');
    this.#wake('jobs');
  }
}

const WEIGHTS = {
  'a pod is killed': 5,
  'a pod is deleted': 4,
  'a node is lost': 2,
  'a pod is stopped for a while': 3,
  'a source changes': 4,
  'somebody cancels': 0.5,
  'somebody deletes the ZipJob': 0.3,
  'the controller is about to be killed': 2,
  'the caches lag': 1,
  'the caches catch up': 1,
  'another replica hears no more': 1,
  'that replica leads': 1,
} as const;
type Fault = keyof typeof WEIGHTS;

function draw(drawn: number, weights: Readonly<Record<Fault, number>>): Fault {
  const entries = Object.entries(weights) as [Fault, number][];
  let left = drawn * entries.reduce((sum, [, weight]) => sum + weight, 0);
  return entries.find(([, weight]) => (left -= weight) < 0)?.[0] ?? 'a pod is killed';
}

function anyProcess(world: ModelWorld, act: (process: ModelProcess) => void): void {
  const live = world.models.filter(({ isOver, isLost }) => !isOver && !isLost);
  if (live.length > 0) act(world.random.pick(live));
}

function cancelsOnce({ random }: ModelWorld): boolean {
  return random.next() < 1;
}

const FAULTS: Readonly<Record<Fault, (world: ModelWorld) => void>> = {
  'a pod is killed': (world) =>
    anyProcess(world, (process) =>
      process.end({ exitCode: 137, ...(world.random.next() < 0.2 && { reason: 'OOMKilled' }) }),
    ),
  'a pod is deleted': (world) =>
    anyProcess(world, ({ pod }) => {
      const live = world.pod(pod.metadata.name);
      if (live) world.deletePod(live);
    }),
  'a node is lost': (world) =>
    anyProcess(world, (process) => {
      world.loseNode(process, { noticed: true, dead: false });
      if (world.random.next() < 0.6) freezeFor(world, process, world.random.int(10_000, 400_000));
    }),
  'a pod is stopped for a while': (world) =>
    anyProcess(world, (process) => freezeFor(world, process, world.random.int(1_000, 90_000))),
  'a source changes': ({ sources }) => sources.change(),
  'somebody cancels': (world) => {
    if (cancelsOnce(world)) world.cancel();
  },
  'somebody deletes the ZipJob': (world) => world.deleteZipJob(),
  'the controller is about to be killed': (world) => {
    world.killIn = world.random.int(1, 4);
    world.killsBefore = world.random.next() < 0.5;
  },
  'the caches lag': (world) => world.lag(() => world.random.next() < 0.5),
  'the caches catch up': (world) => world.lag(() => false),
  'another replica hears no more': (world) => world.remember(),
  'that replica leads': (world) => world.takeOver(),
};

function freezeFor({ time }: ModelWorld, process: ModelProcess, ms: number): void {
  process.freeze();
  time.after(ms, () => process.thaw());
}
