import { LABELS } from '#crds/api-group.ts';
import type { Pod } from '#runtime/kube/resources.ts';
import { type Change, namespaceOf, type ObjectKey } from '#runtime/kube/types.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { zipJobKeyOf } from '../../cluster/caches.ts';
import { isEnded } from '../../cluster/pod-state.ts';

export interface FinishedPodsOptions {
  /** Ended pods above which the pods of finished ZipJobs are deleted early. */
  readonly maxPods: number;
  /** When the pods of a ZipJob expire; undefined while the ZipJob needs them, or does not exist. */
  readonly expiresAt: (key: ObjectKey) => Date | undefined;
  readonly clock: Pick<Clock, 'after'>;
  /** Ends the timer, which would keep the process alive. */
  readonly signal: AbortSignal;
  /** Called with the ZipJobs whose pods become surplus. */
  readonly onSurplus: (keys: readonly ObjectKey[]) => void;
}

/**
 * Counts the ended pods of all ZipJobs, and chooses which are deleted early when there are too many. Otherwise
 * Kubernetes would delete pods of any workload, and pods that are still needed.
 */
export interface FinishedPods {
  see(change: Change<Pod>): void;
  /** True if the pods of this ZipJob are deleted early. */
  isSurplus(key: ObjectKey): boolean;
}

/** More are deleted than necessary, so that not every further pod needs a choice among all. */
const KEPT_SHARE = 0.9;
/** Changes of this time are handled together. */
const BATCH_MS = 2_000;
/** No change of a pod reports that a job no longer needs its pods, or that the first list of ZipJobs has arrived. */
const RETRY_MS = 10_000;

interface State {
  readonly options: FinishedPodsOptions;
  /** Ended pods of each ZipJob. */
  readonly ended: Map<ObjectKey, number>;
  readonly surplus: Set<ObjectKey>;
  total: number;
  timer: Disposable | undefined;
}

function count(state: State, pod: Pod | undefined, by: 1 | -1): void {
  if (!pod || !isEnded(pod) || pod.metadata.labels?.[LABELS.component] === 'check-bucket') return;
  const key = zipJobKeyOf(pod);
  if (key === undefined) return;
  const pods = (state.ended.get(key) ?? 0) + by;
  state.total += by;
  if (pods > 0) state.ended.set(key, pods);
  else {
    state.ended.delete(key);
    state.surplus.delete(key);
  }
}

function chooseAfter(state: State, delayMs: number): void {
  state.timer = state.options.clock.after(delayMs, () => {
    state.timer = undefined;
    if (!choose(state)) chooseAfter(state, RETRY_MS);
  });
}

interface Candidate {
  readonly key: ObjectKey;
  readonly pods: number;
  readonly at: number;
}

/** From the project with the most pods, those that expire first: a project with many pods costs the others no logs. */
function inOrder(candidates: readonly Candidate[]): readonly Candidate[] {
  const ranked: (readonly [Candidate, number])[] = [];
  for (const ofProject of Map.groupBy(candidates, ({ key }) => namespaceOf(key)).values()) {
    let left = ofProject.reduce((sum, { pods }) => sum + pods, 0);
    for (const one of ofProject.toSorted((a, b) => a.at - b.at)) {
      ranked.push([one, left]);
      left -= one.pods;
    }
  }
  return ranked.toSorted(([a, ofA], [b, ofB]) => ofB - ofA || a.at - b.at).map(([one]) => one);
}

/** False if too many pods cannot be deleted yet. */
function choose({ options, ended, surplus, total }: State): boolean {
  const { maxPods, expiresAt, onSurplus } = options;
  let kept = total;
  for (const key of surplus) kept -= ended.get(key) ?? 0;
  if (kept <= maxPods) return true;
  const candidates = [...ended]
    .filter(([key]) => !surplus.has(key))
    .flatMap(([key, pods]) => {
      const at = expiresAt(key)?.getTime();
      return at === undefined ? [] : { key, pods, at };
    });
  const chosen: ObjectKey[] = [];
  for (const { key, pods } of inOrder(candidates)) {
    if (kept <= maxPods * KEPT_SHARE) break;
    chosen.push(key);
    kept -= pods;
  }
  for (const key of chosen) surplus.add(key);
  if (chosen.length > 0) onSurplus(chosen);
  return kept <= maxPods;
}

export function createFinishedPods(options: FinishedPodsOptions): FinishedPods {
  const state: State = { options, ended: new Map(), surplus: new Set(), total: 0, timer: undefined };
  const { signal, maxPods } = options;
  signal.addEventListener('abort', () => state.timer?.[Symbol.dispose]());
  return {
    see: (change) => {
      // The new version first, so that the key is not dropped in between.
      if (change.kind === 'set') count(state, change.object, 1);
      count(state, change.before, -1);
      if (state.total <= maxPods || state.timer || signal.aborted) return;
      chooseAfter(state, BATCH_MS);
    },
    isSurplus: (key) => state.surplus.has(key),
  };
}
