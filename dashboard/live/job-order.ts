import type { Change } from '#runtime/kube/types.ts';
import type { ListedJob } from './listed-job.ts';

type OrderedJob = Pick<ListedJob, 'metadata' | 'spec'>;

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
  /** Names of the ZipBuckets that jobs refer to, sorted. */
  buckets(namespace: string): readonly string[];
}

interface Project {
  /** Oldest first, so that a new job is appended. */
  readonly places: Place[];
  readonly jobsByBucket: Map<string, number>;
}

const isBefore = (a: Place, b: Place): boolean => a.at < b.at || (a.at === b.at && a.name < b.name);

/** Index of the first place that is not before this one. */
const indexOf = (places: readonly Place[], place: Place): number => {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = places[middle];
    if (other !== undefined && isBefore(other, place)) low = middle + 1;
    else high = middle;
  }
  return low;
};

const placeOf = ({ metadata }: OrderedJob): Place => ({
  at: metadata.creationTimestamp ?? '',
  name: metadata.name,
});

const countBucket = ({ jobsByBucket }: Project, { spec }: OrderedJob, by: 1 | -1): void => {
  const { name } = spec.bucketRef;
  const count = (jobsByBucket.get(name) ?? 0) + by;
  if (count > 0) jobsByBucket.set(name, count);
  else jobsByBucket.delete(name);
};

const add = (project: Project, job: OrderedJob): void => {
  const place = placeOf(job);
  project.places.splice(indexOf(project.places, place), 0, place);
  countBucket(project, job, 1);
};

const remove = (project: Project, job: OrderedJob): void => {
  const index = indexOf(project.places, placeOf(job));
  if (project.places[index]?.name !== job.metadata.name) return;
  project.places.splice(index, 1);
  countBucket(project, job, -1);
};

const namesFrom = function* (places: readonly Place[], first: number): IterableIterator<string> {
  for (let index = places.length - 1; index >= first; index -= 1) {
    const place = places[index];
    if (place !== undefined) yield place.name;
  }
};

const createReaders = (projects: ReadonlyMap<string, Project>): Omit<JobOrder, 'note'> => {
  const placesOf = (namespace: string): readonly Place[] => projects.get(namespace)?.places ?? [];
  return {
    size: (namespace) => placesOf(namespace).length,
    newestFirst: (namespace, oldest = '') => {
      const places = placesOf(namespace);
      return namesFrom(places, indexOf(places, { at: oldest, name: '' }));
    },
    stretch: (namespace, from, count) => {
      const places = placesOf(namespace);
      const end = Math.max(0, places.length - from);
      return places
        .slice(Math.max(0, end - count), end)
        .map(({ name }) => name)
        .toReversed();
    },
    newest: (namespace) => placesOf(namespace).at(-1),
    countAfter: (namespace, place) => {
      const places = placesOf(namespace);
      const index = indexOf(places, place);
      const isThere = places[index]?.name === place.name && places[index].at === place.at;
      return places.length - index - (isThere ? 1 : 0);
    },
    buckets: (namespace) => [...(projects.get(namespace)?.jobsByBucket.keys() ?? [])].toSorted(),
  };
};

export const createJobOrder = (): JobOrder => {
  const projects = new Map<string, Project>();
  const projectOf = (namespace: string): Project => {
    const known = projects.get(namespace) ?? { places: [], jobsByBucket: new Map<string, number>() };
    projects.set(namespace, known);
    return known;
  };
  return {
    note: (change) => {
      // Creation time and name of a job never change.
      if (change.kind === 'set' && change.before !== undefined) return;
      const job = change.kind === 'set' ? change.object : change.before;
      const { namespace } = job.metadata;
      const project = projectOf(namespace);
      if (change.kind === 'set') add(project, job);
      else remove(project, job);
      if (project.places.length === 0) projects.delete(namespace);
    },
    ...createReaders(projects),
  };
};
