import type { SlotRequest } from './queue-order.ts';
import { SortedRequests } from './sorted-requests.ts';

/** Most queues have no active job, or one. */
const NONE: readonly string[] = [];

/** The jobs of one project that write one object: at most one is active, and the others follow in the order of their age. */
export class KeyQueue {
  readonly project: string;
  #active: readonly string[] = NONE;
  readonly #waiting = new SortedRequests();

  constructor(project: string) {
    this.project = project;
  }

  get isEmpty(): boolean {
    return this.#active.length === 0 && this.#waiting.isEmpty;
  }

  add(request: SlotRequest): void {
    this.#waiting.add(request);
  }

  remove(request: SlotRequest): void {
    this.#waiting.remove(request);
    this.deactivate(request);
  }

  /** Several may be active only if the controller did not decide that. */
  activate(request: SlotRequest): void {
    this.#waiting.remove(request);
    if (!this.#active.includes(request.key)) this.#active = [...this.#active, request.key];
  }

  deactivate({ key }: SlotRequest): void {
    this.#active = this.#active.filter((active) => active !== key);
  }

  /** The job that may become active now. */
  next(): SlotRequest | undefined {
    return this.#active.length === 0 ? this.#waiting.first() : undefined;
  }

  /** Key of the job that runs before this one; undefined if it is active or next. */
  before(request: SlotRequest): string | undefined {
    if (this.#active.includes(request.key)) return undefined;
    const [active] = this.#active;
    return this.#waiting.before(request)?.key ?? active;
  }
}

/** The queue of each object that jobs write, by project: jobs of different projects never wait for each other. */
export class KeyQueues {
  /** Few objects are written by several projects. */
  readonly #queues = new Map<string, KeyQueue | readonly KeyQueue[]>();

  find({ target, project }: SlotRequest): KeyQueue | undefined {
    return this.#of(target).find((queue) => queue.project === project);
  }

  /** A new queue is kept until `forgetEmpty`. */
  of(request: SlotRequest): KeyQueue {
    const known = this.find(request);
    if (known) return known;
    const queue = new KeyQueue(request.project);
    this.#keep(request.target, [...this.#of(request.target), queue]);
    return queue;
  }

  /** True if a job of another project may write the same object. */
  isShared({ target, project }: Pick<SlotRequest, 'target' | 'project'>): boolean {
    return this.#of(target).some((queue) => queue.project !== project && !queue.isEmpty);
  }

  forgetEmpty({ target }: SlotRequest): void {
    this.#keep(
      target,
      this.#of(target).filter((queue) => !queue.isEmpty),
    );
  }

  #of(target: string): readonly KeyQueue[] {
    const known = this.#queues.get(target) ?? [];
    return known instanceof KeyQueue ? [known] : known;
  }

  #keep(target: string, queues: readonly KeyQueue[]): void {
    const [first] = queues;
    if (first === undefined) this.#queues.delete(target);
    else this.#queues.set(target, queues.length === 1 ? first : queues);
  }
}
