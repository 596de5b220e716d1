import { rfc3339 } from '#crds/conditions.ts';
import type { Change, ObjectKey } from '#runtime/kube/types.ts';
import type { ListedJob } from './listed-job.ts';

type OrderedJob = Pick<ListedJob, 'metadata'>;

/** Sort key of a job in its project: creation time (RFC 3339, whole seconds, UTC), then name. */
export interface Place {
  readonly at: string;
  readonly name: string;
}

/** The jobs of each project by creation time, so that no page has to list or sort them. */
export interface JobOrder {
  note(change: Change<OrderedJob>): void;
  size(namespace: string): number;
  /** Names, newest first, without jobs created before `oldest` (RFC 3339). */
  newestFirst(namespace: string, oldest?: string): IterableIterator<string>;
  /** Names of one page, newest first. */
  stretch(namespace: string, from: number, count: number): readonly string[];
  newest(namespace: string): Place | undefined;
  /** How many jobs were created after this place. */
  countAfter(namespace: string, place: Place): number;
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

function add(project: Project, key: ObjectKey, job: OrderedJob): void {
  const second = secondsOf(job.metadata.creationTimestamp);
  const index = indexOf(project, second, key);
  project.seconds.splice(index, 0, second);
  project.keys.splice(index, 0, key);
}

function remove(project: Project, key: ObjectKey, job: OrderedJob): void {
  const index = indexOf(project, secondsOf(job.metadata.creationTimestamp), key);
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
  };
}

export function createJobOrder(): JobOrder {
  const projects = new Map<string, Project>();
  function projectOf(namespace: string): Project {
    const known = projects.get(namespace) ?? { seconds: [], keys: [] };
    projects.set(namespace, known);
    return known;
  }
  return {
    note: (change) => {
      // Creation time and name of a job never change.
      if (change.kind === 'set' && change.before !== undefined) return;
      const job = change.kind === 'set' ? change.object : change.before;
      const { namespace } = job.metadata;
      const project = projectOf(namespace);
      if (change.kind === 'set') add(project, change.key, job);
      else remove(project, change.key, job);
      if (project.keys.length === 0) projects.delete(namespace);
    },
    ...createReaders(projects),
  };
}
