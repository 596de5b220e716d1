import { limitText } from '#administration/project-limits.ts';
import type { HistoryPurgeView, Project } from '#administration/project-view.ts';
import type { Output } from './output.ts';
import { toFields } from './table.ts';

export const daysText = (days: number): string => `${days} ${days === 1 ? 'day' : 'days'}`;

export const stateOf = ({ ready, deletingSince }: Project): string => {
  if (deletingSince !== null) return 'Deleting';
  return ready === null ? 'Unknown' : ready.status === 'True' ? 'Ready' : ready.reason;
};

const purgeOf = ({ finishedAt, startedAt, message }: HistoryPurgeView): string =>
  `${finishedAt === null ? `started ${startedAt}` : `finished ${finishedAt}`}. ${message ?? ''}`;

/** Whether the installation keeps them for a shorter time is known to its operator only. */
const retentionOf = ({ historyRetentionDays: days }: Project): string =>
  days === null ? 'that of the installation' : daysText(days);

const described = (project: Project): string =>
  toFields([
    ['Namespace', project.namespace],
    ['Name', project.displayName],
    ['Created', project.createdAt],
    ['State', stateOf(project)],
    ['Message', project.ready?.message ?? null],
    ['Class', project.class?.name ?? null],
    ['Max active jobs', limitText(project, 'activeJobs')],
    ['Max files per job', limitText(project, 'filesPerJob')],
    ['Max requests per minute', limitText(project, 'requestsPerMinute')],
    ['Max creates per second', limitText(project, 'createsPerSecond')],
    ['Max files per second', limitText(project, 'filesPerSecond')],
    ['Max stored jobs', limitText(project, 'storedJobs')],
    ['Max stored bytes', limitText(project, 'storedBytes')],
    ['History retention', retentionOf(project)],
    ...(project.historyPurge ? ([['History purge', purgeOf(project.historyPurge)]] as const) : []),
  ]);

export const outputOf = (project: Project): Output => ({ value: project, text: described(project) });
