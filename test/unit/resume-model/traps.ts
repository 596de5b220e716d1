/** What happens to a pod at a certain request. The moments between two requests are where protocols fail. */
import { type ModelProcess, REQUEST_KINDS, type RequestKind } from './model-process.ts';
import type { ModelWorld } from './model-world.ts';

const ENDS = ['killed', 'killedAfter', 'stopped', 'lost', 'lost', 'frozen'] as const;

/** Kinds of requests of which a pod makes many, and those that it usually makes once. */
const FREQUENT: readonly RequestKind[] = ['part', 'status', 'source'];
const SINGLE: readonly RequestKind[] = ['create', 'commit', 'complete', 'abort'];

/** The trap springs at one of this many requests of its kind. */
function mostOf(kind: RequestKind): number {
  if (SINGLE.includes(kind)) return 1;
  return FREQUENT.includes(kind) ? 15 : 3;
}
/** When zombies wake at the latest. */
const WAKES_MS = 400_000;

export class Traps {
  readonly #world: ModelWorld;
  /** Pods that wait for an effect of another one. */
  readonly #sleeping = new Set<ModelProcess>();
  isActive = true;

  constructor(world: ModelWorld) {
    this.#world = world;
    world.onStart = (process) => this.#set(process);
    world.onEffect = (process) => this.#wakeOthers(process, 0.2);
    world.onCommit = (process) => this.#disturb(process);
  }

  #set(process: ModelProcess): void {
    const { random } = this.#world;
    if (!this.isActive || random.next() < 0.3) return;
    const wanted = random.next() < 0.7 ? this.#world.focus : random.pick(REQUEST_KINDS);
    let left = random.int(1, mostOf(wanted));
    process.onRequest = (kind) => {
      if (kind === wanted) left -= 1;
      if (left > 0 || !this.isActive) return;
      process.onRequest = undefined;
      this.#spring(process);
    };
  }

  #spring(process: ModelProcess): void {
    const world = this.#world;
    const { random, time } = world;
    const how = random.pick(ENDS);
    world.note(`${process.pod.metadata.name.slice(-2)} is ${how}`);
    switch (how) {
      case 'killed':
        process.end({ exitCode: 137 });
        return;
      case 'killedAfter':
        time.after(random.int(1, 1_500), () => process.end({ exitCode: 137 }));
        return;
      case 'stopped':
        this.#delete(process);
        return;
      case 'lost':
        world.loseNode(process, { noticed: true, dead: false });
        // Meanwhile its sources may change.
        if (random.next() < 0.4) world.sources.change();
        this.#freeze(process, random.int(50_000, WAKES_MS));
        return;
      case 'frozen':
        this.#freeze(process, random.int(500, 90_000));
    }
  }

  /** Parts of a zombie arrive just when its successor has recorded `committing`, and the successor dies. */
  #disturb(process: ModelProcess): void {
    const { random, time } = this.#world;
    if (!this.isActive || this.#sleeping.size === 0) return;
    this.#wakeOthers(process, 0.8);
    if (random.next() < 0.5) time.after(random.int(1, 300), () => process.end({ exitCode: 137 }));
  }

  #delete({ pod }: ModelProcess): void {
    const live = this.#world.pod(pod.metadata.name);
    if (live) this.#world.deletePod(live);
  }

  #freeze(process: ModelProcess, ms: number): void {
    process.freeze();
    this.#sleeping.add(process);
    this.#world.time.after(ms, () => this.#thaw(process));
  }

  #thaw(process: ModelProcess): void {
    this.#sleeping.delete(process);
    process.thaw();
  }

  /** A zombie wakes just when its successor does something. */
  #wakeOthers(active: ModelProcess, share: number): void {
    const { random, time } = this.#world;
    for (const process of this.#sleeping)
      if (process !== active && process.isLost && random.next() < share)
        time.after(random.int(0, 2_000), () => this.#thaw(process));
  }
}
