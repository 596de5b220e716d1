import { rfc3339 } from '#crds/conditions.ts';
import { type Change, namespaceOf, type ObjectKey } from '#runtime/kube/types.ts';
import type { ListedJob } from './listed-job.ts';

type OrderedJob = Pick<ListedJob, 'metadata' | 'status'>;
/** The time by which a job is ordered (RFC 3339). Undefined: the order does not have the job. */
type TimeOf = (job: OrderedJob) => string | undefined;

/** Sort key of a job in its project: its time (RFC 3339, whole seconds, UTC), then name. */
export interface Place {
  readonly at: string;
  readonly name: string;
}

/** The jobs of each project by a time, so that no page has to list or sort them. */
export interface JobOrder {
  note(change: Change<OrderedJob>): void;
  size(namespace: string): number;
  /** Names, newest first, without jobs before `oldest` (RFC 3339). */
  newestFirst(namespace: string, oldest?: string): IterableIterator<string>;
  /** Names of one page, newest first. */
  stretch(namespace: string, from: number, count: number): readonly string[];
  newest(namespace: string): Place | undefined;
  /** How many jobs are after this place. */
  countAfter(namespace: string, place: Place): number;
  /** How many jobs are at this time (RFC 3339) or later. */
  countSince(namespace: string, at: string): number;
}

/**
 * Oldest first, so that a new job is appended. Two arrays of numbers and of the keys that the cache has too: an object of
 * strings for each job would use eight times their memory.
 */
interface Project {
  readonly seconds: number[];
  readonly keys: ObjectKey[];
}

/** 0 without a time. */
export function secondsOf(at: string | undefined): number {
  return Math.floor((Date.parse(at ?? '') || 0) / 1000);
}

function nameOf(key: ObjectKey): string {
  return key.slice(key.indexOf('/') + 1);
}

function placeAt({ seconds, keys }: Project, index: number): Place | undefined {
  const [second, key] = [seconds[index], keys[index]];
  if (second === undefined || key === undefined) return undefined;
  return { at: second === 0 ? '' : rfc3339(new Date(second * 1000)), name: nameOf(key) };
}

/** Index of the first job that is not before this one. */
function indexOf({ seconds, keys }: Project, second: number, key: ObjectKey): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const [otherSecond = 0, otherKey = ''] = [seconds[middle], keys[middle]];
    if (otherSecond < second || (otherSecond === second && otherKey < key)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function add(project: Project, key: ObjectKey, second: number): void {
  const index = indexOf(project, second, key);
  project.seconds.splice(index, 0, second);
  project.keys.splice(index, 0, key);
}

function remove(project: Project, key: ObjectKey, second: number): void {
  const index = indexOf(project, second, key);
  if (project.keys[index] !== key) return;
  project.seconds.splice(index, 1);
  project.keys.splice(index, 1);
}

function* namesFrom(keys: readonly ObjectKey[], first: number): IterableIterator<string> {
  for (let index = keys.length - 1; index >= first; index -= 1) {
    const key = keys[index];
    if (key !== undefined) yield nameOf(key);
  }
}

const NO_JOBS: Project = { seconds: [], keys: [] };

function createReaders(projects: ReadonlyMap<string, Project>): Omit<JobOrder, 'note'> {
  function of(namespace: string): Project {
    return projects.get(namespace) ?? NO_JOBS;
  }
  return {
    size: (namespace) => of(namespace).keys.length,
    newestFirst: (namespace, oldest) => {
      const project = of(namespace);
      return namesFrom(project.keys, indexOf(project, secondsOf(oldest), ''));
    },
    stretch: (namespace, from, count) => {
      const { keys } = of(namespace);
      const end = Math.max(0, keys.length - from);
      return keys
        .slice(Math.max(0, end - count), end)
        .map(nameOf)
        .toReversed();
    },
    newest: (namespace) => placeAt(of(namespace), of(namespace).keys.length - 1),
    countAfter: (namespace, { at, name }) => {
      const project = of(namespace);
      const { keys, seconds } = project;
      const key = `${namespace}/${name}`;
      const index = indexOf(project, secondsOf(at), key);
      const isThere = keys[index] === key && seconds[index] === secondsOf(at);
      return keys.length - index - (isThere ? 1 : 0);
    },
    countSince: (namespace, at) => {
      const project = of(namespace);
      return project.keys.length - indexOf(project, secondsOf(at), '');
    },
  };
}

function creationOf({ metadata }: OrderedJob): string {
  return metadata.creationTimestamp ?? '';
}

/** `timeOf`: the time of a job, which may change. By default the time of its creation. */
export function createJobOrder(timeOf: TimeOf = creationOf): JobOrder {
  const projects = new Map<string, Project>();
  function secondOf(job: OrderedJob | undefined): number | undefined {
    const at = job && timeOf(job);
    return at === undefined ? undefined : secondsOf(at);
  }
  function projectOf(namespace: string): Project {
    const known = projects.get(namespace) ?? { seconds: [], keys: [] };
    projects.set(namespace, known);
    return known;
  }
  return {
    note: (change) => {
      const before = secondOf(change.before);
      const now = secondOf(change.kind === 'set' ? change.object : undefined);
      if (before === now) return;
      const namespace = namespaceOf(change.key);
      const project = projectOf(namespace);
      if (before !== undefined) remove(project, change.key, before);
      if (now !== undefined) add(project, change.key, now);
      if (project.keys.length === 0) projects.delete(namespace);
    },
    ...createReaders(projects),
  };
}
