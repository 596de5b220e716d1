import type { Clock } from '../time/clock.ts';

/** The value of the label `project` of all projects without series of their own. No namespace can have this name. */
export const OTHER_PROJECTS = '_other';
/** Projects with series of their own, per process. */
export const MAX_LABELLED = 100;

/** Follows which series of a metric exist. */
export interface LabelFollower {
  /** The series of this value start. They must be exported at zero: `rate` ignores the first value of a series. */
  start(project: string): void;
  /** The series of this value end for good, after ten minutes without a change. If they start again, they start at zero. */
  end(project: string): void;
}

/**
 * Which projects have series of their own: the busiest, at most 100. All others share `_other`, so that the sum over the
 * label is always right. A series never moves, shrinks or jumps, so that `rate` is right too.
 */
export interface ProjectLabels {
  /** Counts work of a project, such as a new job or a request. */
  note(project: string): void;
  /** The value of the label that counts for a project now. */
  labelOf(project: string): string;
  follow(follower: LabelFollower): void;
  /** Call it at each scrape, before series are read. The set changes only here, or when there is room. */
  refresh(): void;
  /** Number of projects with series of their own. */
  readonly size: number;
  /** The value of all other projects. */
  readonly rest: string;
}

export interface ProjectLabelsDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** False while the first lists arrive: their order says nothing about how busy a project is. */
  readonly isReady: () => boolean;
}

/** Time between changes of the set, and for which a series that will end no longer changes: every Prometheus has scraped it. */
const ROUND_MS = 600_000;
/** Work counts half after a day, so that a project that works at night keeps its series. */
const FADING_PER_ROUND = 0.5 ** (ROUND_MS / 86_400_000);
/** A project that has done less is forgotten. */
const LEAST_WORK = 0.1;
/** A project replaces another if it is this many times as busy. Less would let two of them alternate. */
const BUSIER = 2;
/** Limits the series that end and start in a day. */
const MAX_REPLACED_PER_ROUND = 10;
/** Projects whose work is counted. More are `_other` until some of these are forgotten. */
const MAX_KNOWN = 50_000;

type Entry = readonly [project: string, work: number];

function byWork([, one]: Entry, [, other]: Entry): number {
  return other - one;
}

/** How busy projects are. */
class Work {
  readonly #of = new Map<string, number>();

  note(project: string): void {
    const known = this.#of.get(project);
    if (known !== undefined || this.#of.size < MAX_KNOWN) this.#of.set(project, (known ?? 0) + 1);
  }

  of(project: string): number {
    return this.#of.get(project) ?? 0;
  }

  fade(): void {
    for (const [project, work] of this.#of)
      if (work * FADING_PER_ROUND < LEAST_WORK) this.#of.delete(project);
      else this.#of.set(project, work * FADING_PER_ROUND);
  }

  /** Those without series, busiest first. */
  without(labelled: ReadonlyMap<string, unknown>): readonly Entry[] {
    return [...this.#of].filter(([project]) => !labelled.has(project)).toSorted(byWork);
  }
}

class BusiestProjects implements ProjectLabels {
  readonly rest = OTHER_PROJECTS;
  readonly #deps: ProjectLabelsDeps;
  readonly #work = new Work();
  /** The projects with series. Those that are ending count as `_other` already. */
  readonly #labelled = new Map<string, 'counting' | 'ending'>();
  readonly #followers: LabelFollower[] = [];
  #roundAt: number;

  constructor(deps: ProjectLabelsDeps) {
    this.#deps = deps;
    this.#roundAt = deps.clock.monotonicMs() + ROUND_MS;
  }

  get size(): number {
    return this.#labelled.size;
  }

  note(project: string): void {
    this.#work.note(project);
    if (!this.#labelled.has(project)) this.#fill();
  }

  labelOf(project: string): string {
    if (!this.#labelled.has(project)) this.#fill();
    return this.#labelled.get(project) === 'counting' ? project : OTHER_PROJECTS;
  }

  follow(follower: LabelFollower): void {
    this.#followers.push(follower);
    for (const value of [OTHER_PROJECTS, ...this.#labelled.keys()]) follower.start(value);
  }

  refresh(): void {
    this.#fill();
    const now = this.#deps.clock.monotonicMs();
    if (now < this.#roundAt) return;
    this.#roundAt = now + ROUND_MS;
    this.#end();
    this.#work.fade();
    this.#fill();
    this.#replace();
  }

  #fill(): void {
    const room = MAX_LABELLED - this.#labelled.size;
    if (room <= 0 || !this.#deps.isReady()) return;
    for (const [project] of this.#work.without(this.#labelled).slice(0, room)) {
      this.#labelled.set(project, 'counting');
      for (const follower of this.#followers) follower.start(project);
    }
  }

  #end(): void {
    for (const [project, state] of this.#labelled) {
      if (state !== 'ending') continue;
      this.#labelled.delete(project);
      for (const follower of this.#followers) follower.end(project);
    }
  }

  /** Chooses the series that end in the next round, and so make room for busier projects. */
  #replace(): void {
    const least = [...this.#labelled.keys()]
      .map((project): Entry => [project, this.#work.of(project)])
      .toSorted(byWork)
      .toReversed();
    for (const [at, [, work]] of this.#work
      .without(this.#labelled)
      .slice(0, MAX_REPLACED_PER_ROUND)
      .entries()) {
      const [project, own] = least[at] ?? ['', Infinity];
      if (work < BUSIER * own) return;
      this.#labelled.set(project, 'ending');
    }
  }
}

/** The labels of a process, as its setting METRICS_PER_PROJECT wants them. */
export function projectLabelsOf(
  { metricsPerProject }: { readonly metricsPerProject: boolean },
  deps: ProjectLabelsDeps,
): ProjectLabels {
  return metricsPerProject ? createProjectLabels(deps) : withoutProjects();
}

export function createProjectLabels(deps: ProjectLabelsDeps): ProjectLabels {
  return new BusiestProjects(deps);
}

/** Labels nothing: the label `project` of every series is empty, which Prometheus treats as missing. */
export function withoutProjects(): ProjectLabels {
  return {
    note: () => {},
    labelOf: () => '',
    follow: (follower) => follower.start(''),
    refresh: () => {},
    size: 0,
    rest: '',
  };
}
