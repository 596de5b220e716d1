/** A process that can be killed and stopped between any two of its requests. */
import type { Pod } from '#runtime/kube/resources.ts';
import type { Ending } from '#test/support/builders/pod-statuses.ts';
import type { WorldPod } from '#test/support/worlds/job-world/world-zipper.ts';

/** Never resolves: what a killed process waits for. */
const NEVER = new Promise<never>(() => undefined);

export const REQUEST_KINDS = [
  'create',
  'part',
  'complete',
  'abort',
  'list',
  'head',
  'status',
  /** The record of `committing`. */
  'commit',
  'checkpoint',
  'source',
] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

export class ModelProcess implements WorldPod {
  readonly pod: Pod;
  isLost = false;
  hangs = false;
  isOver = false;
  readonly wakesAt = undefined;
  /** Aborted by SIGTERM. */
  readonly stopping = new AbortController();
  /** When it started, in milliseconds of the schedule. */
  readonly startedMs: number;
  /** What it does, for reports. */
  at = 'started';
  #frozen: PromiseWithResolvers<void> | undefined;
  readonly #onEnd: (ending: Ending) => void;

  constructor(pod: Pod, startedMs: number, onEnd: (ending: Ending) => void) {
    this.pod = pod;
    this.startedMs = startedMs;
    this.#onEnd = onEnd;
  }

  get uid(): string {
    return this.pod.metadata.uid ?? '';
  }

  get isFrozen(): boolean {
    return this.#frozen !== undefined;
  }

  /** Called before each request, with its kind. */
  onRequest: ((kind: RequestKind) => void) | undefined;

  /** Before each request, with its kind, and after it: returns when the process may continue. */
  async gate(kind?: RequestKind): Promise<void> {
    if (kind !== undefined) this.onRequest?.(kind);
    while (this.#frozen !== undefined) await this.#frozen.promise;
    if (this.isOver) await NEVER;
  }

  freeze(): void {
    this.#frozen ??= Promise.withResolvers();
  }

  thaw(): void {
    this.#frozen?.resolve();
    this.#frozen = undefined;
  }

  terminate(): void {
    this.stopping.abort(new DOMException('SIGTERM', 'AbortError'));
  }

  /** Its processes act on their own. */
  step(): void {
    // Nothing waits for a step.
  }

  /** The end of the process, by itself or by SIGKILL. */
  end(ending: Ending): void {
    if (this.isOver) return;
    this.isOver = true;
    this.thaw();
    this.#onEnd(ending);
  }
}
