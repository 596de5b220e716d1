import {
  Counter,
  type CounterConfiguration,
  Gauge,
  Histogram,
  type HistogramConfiguration,
  type Registry,
} from 'prom-client';
import type { ProjectLabels } from './project-labels.ts';

type Labels<T extends string> = Readonly<Record<Exclude<T, 'project'>, string>>;

export interface ProjectCounter<T extends string> {
  inc(project: string, labels: Labels<T>, value?: number): void;
  /** Counts what belongs to no project. */
  incWithout(labels: Labels<T>): void;
}

export interface ProjectHistogram {
  observe(project: string, value: number): void;
}

/** A counter with the label `project`. `zeros` are the other labels of the series that every project starts with. */
export function projectCounter<T extends string>(
  projects: Pick<ProjectLabels, 'labelOf' | 'follow'>,
  configuration: CounterConfiguration<T | 'project'>,
  zeros: (project: string) => readonly Labels<T>[],
): ProjectCounter<T> {
  const counter = new Counter<string>(configuration);
  /** The label sets of each value of `project`, by their text. */
  const known = new Map<string, Map<string, Record<string, string>>>();
  function inc(project: string, labels: Labels<T>, value: number): void {
    const all = { project, ...labels };
    counter.inc(all, value);
    const sets = known.get(project) ?? new Map<string, Record<string, string>>();
    known.set(project, sets.set(Object.values(labels).join(), all));
  }
  projects.follow({
    start: (project) => {
      for (const labels of zeros(project)) inc(project, labels, 0);
    },
    end: (project) => {
      for (const labels of known.get(project)?.values() ?? []) counter.remove(labels);
      known.delete(project);
    },
  });
  return {
    inc: (project, labels, value = 1) => inc(projects.labelOf(project), labels, value),
    incWithout: (labels) => inc('', labels, 1),
  };
}

/** A histogram whose only label is `project`. */
export function projectHistogram(
  projects: Pick<ProjectLabels, 'labelOf' | 'follow'>,
  configuration: Omit<HistogramConfiguration<'project'>, 'labelNames'>,
): ProjectHistogram {
  const histogram = new Histogram({ ...configuration, labelNames: ['project'] as const });
  projects.follow({
    start: (project) => histogram.zero({ project }),
    end: (project) => histogram.remove({ project }),
  });
  return { observe: (project, value) => histogram.observe({ project: projects.labelOf(project) }, value) };
}

/** The number of labelled projects. Register it before other metrics, so that a scrape changes the set before it reads them. */
export function exportLabelledProjects(registry: Registry, labels: ProjectLabels): void {
  new Gauge({
    name: 'zip_labelled_projects',
    help: 'Projects with series of their own, at most 100; the label `project` of all others is `_other`. With 100, there may be others',
    registers: [registry],
    collect() {
      labels.refresh();
      this.set(labels.size);
    },
  });
}
