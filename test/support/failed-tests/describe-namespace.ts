import type { ZipJob } from '#crds/zip-job.ts';
import type { Event, Job, Pod } from '#runtime/kube/resources.ts';
import { chooseZipJobs } from './choose.ts';
import type { NamespaceState } from './cluster-state.ts';
import { describeZipJob } from './describe-zip-job.ts';
import { LIMITS } from './limits.ts';
import { boundLines, clockOf, joined } from './lines.ts';
import type { TestWindow } from './test-window.ts';

export interface DescribedNamespace {
  readonly name: string;
  /** Names of the ZipJobs that are shown. */
  readonly zipJobs: readonly string[];
  readonly lines: readonly string[];
}

const timeOf = ({ series, lastTimestamp, eventTime, firstTimestamp, metadata }: Event): string =>
  series?.lastObservedTime ??
  lastTimestamp ??
  eventTime ??
  firstTimestamp ??
  metadata.creationTimestamp ??
  '';

/** Most times are whole seconds; of equal times, the one written later comes later. */
const byTime = (a: Event, b: Event): number => {
  const versionOf = ({ metadata }: Event): number => Number(metadata.resourceVersion ?? 0);
  return Date.parse(timeOf(a)) - Date.parse(timeOf(b)) || versionOf(a) - versionOf(b);
};

const describeEvent = (event: Event): string => {
  const { type = '', reason = '', involvedObject, count = 1, message = '' } = event;
  const repeated = count > 1 ? ` (${count} times)` : '';
  const object = `${involvedObject.kind ?? ''}/${involvedObject.name ?? ''}`;
  return `${clockOf(timeOf(event))} ${type} ${reason} ${object}${repeated}: ${message}`;
};

const describeJob = ({ metadata, status = {} }: Job): string => {
  const { active = 0, succeeded = 0, failed = 0, conditions = [] } = status;
  const held = conditions
    .filter((condition) => condition.status === 'True')
    .map(({ type, reason }) => `${type}${reason ? ` (${reason})` : ''}`);
  return `Job ${metadata.name}: ${joined(`active ${active}, succeeded ${succeeded}, failed ${failed}`, ...held)}`;
};

type ContainerState = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number]['state'];

const stateOf = ({ running, waiting, terminated }: NonNullable<ContainerState>): string => {
  if (terminated) {
    const { exitCode, reason, message } = terminated;
    return joined(`exit code ${exitCode}`, reason) + (message ? `: ${message}` : '');
  }
  if (waiting) return joined('waiting', waiting.reason, waiting.message);
  return running ? 'running' : 'no state yet';
};

const describePod = ({ metadata, status }: Pod): string => {
  const containers = (status?.containerStatuses ?? []).map(
    ({ name, restartCount, state }) =>
      `${name} ${joined(restartCount > 0 && `restarts ${restartCount}`, stateOf(state ?? {}))}`,
  );
  const facts = joined(
    status?.phase,
    status?.reason,
    metadata.deletionTimestamp !== undefined && 'being deleted',
    ...containers,
  );
  return `Pod ${metadata.name} ${metadata.uid ?? ''}: ${facts}`;
};

/** Events of the shown ZipJobs, of their Jobs and pods, and of the project and its buckets. */
const concerns = (event: Event, names: readonly string[]): boolean => {
  const { kind = '', name = '' } = event.involvedObject;
  return !['ZipJob', 'Job', 'Pod'].includes(kind) || isOf(name, names);
};

/** Jobs and pods have the name of their ZipJob as a prefix. */
const isOf = (name: string, zipJobs: readonly string[]): boolean =>
  zipJobs.some((zipJob) => name === zipJob || name.startsWith(`${zipJob}-`));

const countPhases = (zipJobs: readonly ZipJob[]): string => {
  const counts = Object.entries(Object.groupBy(zipJobs, ({ status }) => status?.phase ?? 'no phase yet'));
  return counts.map(([phase, some]) => `${some.length} ${phase}`).join(', ');
};

/**
 * Describes the ZipJobs that may explain a failure, with their Jobs, pods and Events, in at most this number
 * of lines.
 */
export const describeNamespace = (
  state: NamespaceState,
  window: TestWindow,
  mostLines: number,
): DescribedNamespace => {
  const shown = chooseZipJobs(state.zipJobs, window, LIMITS.zipJobs);
  const names = shown.map(({ metadata }) => metadata.name);
  const ofShown = ({ metadata }: Job | Pod): boolean => names.length === 0 || isOf(metadata.name, names);
  const workloads = [
    ...state.jobs.filter(ofShown).map(describeJob),
    ...state.pods.filter(ofShown).map(describePod),
  ];
  const events = state.events
    .filter((event) => names.length === 0 || concerns(event, names))
    .sort(byTime)
    .slice(-LIMITS.events)
    .map(describeEvent);
  const lines = [
    ...shown.flatMap(describeZipJob),
    ...boundLines(workloads, LIMITS.workloads),
    ...(events.length > 0 ? ['Events', ...events.map((line) => `  ${line}`)] : []),
  ];
  const others = state.zipJobs.filter((zipJob) => !shown.includes(zipJob));
  const counts = joined(
    `ZipJobs shown: ${shown.length}`,
    others.length > 0 && `others: ${countPhases(others)}`,
  );
  return {
    name: state.name,
    zipJobs: names,
    lines: [
      `Namespace ${state.name} (${counts})`,
      ...boundLines(lines, mostLines - 1).map((line) => `  ${line}`),
    ],
  };
};
