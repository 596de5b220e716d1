import type { ProjectDay } from '#runtime/history/figures.ts';
import { FORMAT } from '../../format.ts';
import type { History } from '../../history.ts';
import type { PageRequest, Route } from '../../page.ts';
import { HISTORY_AWAY, isHistoryAway } from './history-away.ts';
import { writeHistoryQuery } from './history-query.ts';
import { projectUidOf } from './project-uid.ts';
import { READ_HISTORY } from './read-history.ts';

const DAY_MS = 86_400_000;
const LENGTHS = [30, 90, 365] as const;

interface UsageRow {
  /** `2026-01-31`. */
  readonly day: string;
  /** The jobs of the day in the history. */
  readonly href: string;
  readonly succeeded: string;
  readonly failed: string;
  readonly cancelled: string;
  readonly files: string;
  readonly bytes: string;
}

const SUMMED = ['succeeded', 'failed', 'cancelled', 'files', 'bytes'] as const;
type Sums = Pick<ProjectDay, (typeof SUMMED)[number]>;

const formatted = ({ succeeded, failed, cancelled, files, bytes }: Sums) => ({
  succeeded: FORMAT.number(succeeded),
  failed: FORMAT.number(failed),
  cancelled: FORMAT.number(cancelled),
  files: FORMAT.number(files),
  bytes: FORMAT.bytes(bytes),
});

const sumOf = (days: readonly ProjectDay[]): Sums => {
  const sum = (name: (typeof SUMMED)[number]): number => days.reduce((all, day) => all + day[name], 0);
  return {
    succeeded: sum('succeeded'),
    failed: sum('failed'),
    cancelled: sum('cancelled'),
    files: sum('files'),
    bytes: sum('bytes'),
  };
};

const lengthOf = (text: string | null): number => LENGTHS.find((days) => String(days) === text) ?? LENGTHS[0];

const usageOf = async (
  history: History,
  request: PageRequest,
  days: number,
): Promise<readonly ProjectDay[] | undefined> => {
  const { now, signal } = request;
  const projectUid = await projectUidOf(request);
  const from = new Date(now.getTime() - (days - 1) * DAY_MS);
  try {
    return await history.usageByDay({ projectUids: [projectUid], from, to: now, signal });
  } catch (error) {
    if (isHistoryAway(error, signal)) return undefined;
    throw error;
  }
};

const rowOf =
  (historyPath: string) =>
  (usage: ProjectDay): UsageRow => {
    const day = usage.day.slice(0, 10);
    return { day, href: historyPath + writeHistoryQuery({ from: day, to: day }), ...formatted(usage) };
  };

/** What a project has used per day (UTC), newest first. */
export const createUsagePage = (history: History): readonly Route[] => [
  {
    method: 'GET',
    path: '/projects/:project/usage',
    needs: READ_HISTORY,
    handle: async (request) => {
      const { namespace } = request;
      const days = lengthOf(request.query.get('days'));
      const usage = await usageOf(history, request, days);
      const path = FORMAT.path('projects', namespace, 'usage');
      const historyPath = FORMAT.path('projects', namespace, 'history');
      const data = {
        namespace,
        days,
        lengths: LENGTHS.map((length) => ({ days: length, href: `${path}?days=${length}` })),
        away: usage === undefined ? HISTORY_AWAY : '',
        rows: (usage ?? []).toReversed().map(rowOf(historyPath)),
        total: formatted(sumOf(usage ?? [])),
      };
      const status = usage === undefined ? 503 : 200;
      return {
        kind: 'page',
        view: '/pages/history/usage',
        title: 'Usage',
        section: 'overview',
        status,
        data,
      };
    },
  },
];
