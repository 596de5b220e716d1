import { limitText } from '#administration/projects/project-limits.ts';
import type { HistoryPurgeView, Project } from '#administration/projects/project-view.ts';
import { resultMark } from './decoration.ts';
import type { Output } from './output.ts';
import type { Session } from './session.ts';
import { type Cell, toFields } from './table.ts';

export function daysText(days: number): string {
  return `${days} ${days === 1 ? 'day' : 'days'}`;
}

export function stateOf({ ready, deletingSince }: Project, isDecorated: boolean): Cell {
  if (deletingSince !== null) return 'Deleting';
  if (ready === null || ready.status === 'Unknown') return ready?.reason ?? 'Unknown';
  const isReady = ready.status === 'True';
  return resultMark(isReady ? 'Ready' : ready.reason, isReady, isDecorated);
}

function purgeOf({ finishedAt, startedAt, message }: HistoryPurgeView): string {
  return `${finishedAt === null ? `started ${startedAt}` : `finished ${finishedAt}`}. ${message ?? ''}`;
}

/** Whether the installation keeps them for a shorter time is known to its operator only. */
function retentionOf({ historyRetentionDays: days }: Project): string {
  return days === null ? 'that of the installation' : daysText(days);
}

function described(project: Project, isDecorated: boolean): string {
  return toFields([
    ['Namespace', project.namespace],
    ['Name', project.displayName],
    ['Created', project.createdAt],
    ['State', stateOf(project, isDecorated)],
    ['Message', project.ready?.message ?? null],
    ['Class', project.class?.name ?? null],
    ['Max active jobs', limitText(project, 'activeJobs')],
    ['Max files per job', limitText(project, 'filesPerJob')],
    ['Max bytes of an archive', limitText(project, 'archiveBytes')],
    ['Max requests per minute', limitText(project, 'requestsPerMinute')],
    ['Max creates per second', limitText(project, 'createsPerSecond')],
    ['Max files per second', limitText(project, 'filesPerSecond')],
    ['Max stored jobs', limitText(project, 'storedJobs')],
    ['Max stored bytes', limitText(project, 'storedBytes')],
    ['History retention', retentionOf(project)],
    ...(project.historyPurge ? ([['History purge', purgeOf(project.historyPurge)]] as const) : []),
  ]);
}

export function outputOf(project: Project, { terminal }: Session): Output {
  return { value: project, text: described(project, terminal.isDecorated) };
}
