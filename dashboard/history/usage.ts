import type { ProjectDay } from '#runtime/history/figures.ts';
import type { PageRequest, Route } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { jobCharts, weeksOf } from '../overview/job-charts.ts';
import { type CountedJobs, historyLinks, type JobLinks } from '../overview/job-links.ts';
import { slotsOf } from '../overview/period-figures.ts';
import { windowOf } from '../overview/periods.ts';
import { FORMAT } from '../ui/format.ts';
import { HISTORY_AWAY, isHistoryAway, readHistory } from './history-away.ts';
import type { History } from './history-reader.ts';
import { projectUidOf } from './project-uid.ts';
import { READ_HISTORY } from './read-history.ts';

const DAY_MS = 86_400_000;
const LENGTHS = [30, 90, 365] as const;
/** More are thinner than a pixel on a phone; the charts then show weeks. */
const MOST_BARS = 120;

const SUMMED = ['succeeded', 'failed', 'cancelled', 'files', 'bytes'] as const;
type Sums = Pick<ProjectDay, (typeof SUMMED)[number]>;

function formatted({ succeeded, failed, cancelled, files, bytes }: Sums) {
  return {
    succeeded: FORMAT.number(succeeded),
    failed: FORMAT.number(failed),
    cancelled: FORMAT.number(cancelled),
    files: FORMAT.number(files),
    bytes: FORMAT.bytes(bytes),
  };
}

function sumOf(days: readonly ProjectDay[]): Sums {
  function sum(name: (typeof SUMMED)[number]): number {
    return days.reduce((all, day) => all + day[name], 0);
  }
  return {
    succeeded: sum('succeeded'),
    failed: sum('failed'),
    cancelled: sum('cancelled'),
    files: sum('files'),
    bytes: sum('bytes'),
  };
}

function lengthOf(text: string | null): number {
  return LENGTHS.find((days) => String(days) === text) ?? LENGTHS[0];
}

type UsageDeps = Pick<PageDeps, 'config'> & { readonly history: History };

async function usageOf(
  { config, history }: UsageDeps,
  request: PageRequest,
  days: number,
): Promise<readonly ProjectDay[] | undefined> {
  const { now } = request;
  const projectUid = await projectUidOf(request);
  const from = new Date(now.getTime() - (days - 1) * DAY_MS);
  try {
    return await readHistory(config.workTimeoutMs, (signal) =>
      history.usageByDay({ projectUids: [projectUid], from, to: now, signal }),
    );
  } catch (error) {
    if (isHistoryAway(error)) return undefined;
    throw error;
  }
}

interface Cell {
  readonly text: string;
  readonly href?: string;
}

/** The numbers of a time. Counts of jobs have the list of these jobs. */
function cellsOf(sums: Sums, links: JobLinks, range: CountedJobs): readonly Cell[] {
  const { succeeded, failed, cancelled, files, bytes } = formatted(sums);
  return [
    { text: succeeded, href: links({ state: 'Succeeded', ...range }) },
    { text: failed, href: links({ state: 'Failed', ...range }) },
    { text: cancelled, href: links({ state: 'Cancelled', ...range }) },
    { text: files },
    { text: bytes },
  ];
}

function rowOf(links: JobLinks) {
  return (usage: ProjectDay): { readonly day: Cell; readonly cells: readonly Cell[] } => {
    const fromMs = Date.parse(usage.day);
    const range = { fromMs, toMs: fromMs + DAY_MS };
    return {
      day: { text: usage.day.slice(0, 10), href: links(range) },
      cells: cellsOf(usage, links, range),
    };
  };
}

function viewOf(
  usage: readonly ProjectDay[],
  { days, links, now }: { readonly days: number; readonly links: JobLinks; readonly now: Date },
) {
  const period = { slots: days, slotMs: DAY_MS };
  const counted = usage.map((one) => ({ ...one, fromMs: Date.parse(one.day) }));
  const slots = slotsOf(period, now, counted);
  return {
    charts: days > MOST_BARS ? jobCharts(weeksOf(slots), 'week', links) : jobCharts(slots, 'day', links),
    rows: usage.toReversed().map(rowOf(links)),
    total: cellsOf(sumOf(usage), links, { fromMs: windowOf(period, now).fromMs }),
  };
}

/** What a project has used per day (UTC), newest first. */
export function createUsagePage({ config }: PageDeps, history: History): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/projects/:project/usage',
      needs: READ_HISTORY,
      handle: async (request) => {
        const { namespace } = request;
        const days = lengthOf(request.query.get('days'));
        const usage = await usageOf({ config, history }, request, days);
        const path = FORMAT.path('projects', namespace, 'usage');
        const links = historyLinks(namespace);
        const data = {
          lengths: LENGTHS.map((length) => ({
            days: length,
            href: `${path}?days=${length}`,
            isCurrent: length === days,
          })),
          days,
          away: usage === undefined ? HISTORY_AWAY : '',
          ...viewOf(usage ?? [], { days, links, now: request.now }),
          historyPath: FORMAT.path('projects', namespace, 'history'),
        };
        const status = usage === undefined ? 503 : 200;
        return {
          kind: 'page',
          view: '/history/usage',
          title: 'Usage',
          trail: [{ label: 'History', href: data.historyPath }],
          section: 'history',
          status,
          data,
        };
      },
    },
  ];
}
