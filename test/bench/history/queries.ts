import { createHash } from 'node:crypto';
import { JOBS_ON_A_PAGE } from '#dashboard/history/history.ts';
import { readHistoryFigures } from '#dashboard/history/history-figures.ts';
import { PERIODS, type Period } from '#dashboard/overview/periods.ts';
import type { HistoryDatabase } from '#runtime/history/database.ts';
import { createFigures } from '#runtime/history/figures.ts';
import type { JobFilter } from '#runtime/history/job-filter.ts';
import { createJobLists, type JobPage } from '#runtime/history/list-jobs.ts';
import { createReadJob } from '#runtime/history/read-job.ts';
import { systemClock } from '#runtime/time/clock.ts';
import type { Random } from '#test/support/random.ts';

/** A job that exists. */
export interface KnownJob {
  readonly projectUid: string;
  readonly id: string;
  readonly key: string;
  readonly finishedAt: string;
}

export interface BenchQuery {
  readonly name: string;
  /** Milliseconds of the client's p99. */
  readonly target: number;
  readonly run: (database: Pick<HistoryDatabase, 'query'>) => Promise<unknown>;
  /** Its statements have a name and a plan for all values, which EXPLAIN does not show. */
  readonly isPrepared?: boolean;
}

export interface QueryWorld {
  readonly random: Random;
  readonly now: Date;
  /** Random ones, by share of jobs: most are of large projects. */
  readonly jobs: readonly KnownJob[];
  readonly projects: number;
}

/** From a digest, as the rows were generated. */
export function uidOfProject(rank: number): string {
  const hex = createHash('md5').update(`project-${rank}`).digest('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const LIMIT = 25;
const DAY_MS = 86_400_000;
const SEARCH_MS = 250;
/** dashboardHistorySearchMs of the dashboard. */
const PAGE_SEARCH_MS = 2_000;

function listWith(filter: JobFilter, cursor?: string) {
  return (database: Pick<HistoryDatabase, 'query'>): Promise<JobPage> =>
    createJobLists({ database, clock: systemClock, searchMs: SEARCH_MS }).listJobs(filter, {
      limit: LIMIT,
      cursor,
    });
}

function statisticsOf({ now }: QueryWorld, days: number, by: 'hour' | 'day') {
  return (database: Pick<HistoryDatabase, 'query'>) =>
    createFigures({ database }).statistics({
      projectUid: uidOfProject(0),
      from: new Date(now.getTime() - days * DAY_MS),
      to: now,
      by,
    });
}

function reads({ random, jobs }: QueryWorld): readonly BenchQuery[] {
  function read(id: () => { readonly projectUid: string; readonly id: string }) {
    return {
      target: 20,
      isPrepared: true,
      run: (database: Pick<HistoryDatabase, 'query'>) => createReadJob(database)(id()),
    };
  }
  const recent = jobs
    .toSorted((a, b) => (a.finishedAt < b.finishedAt ? 1 : -1))
    .slice(0, Math.ceil(jobs.length / 100));
  return [
    { name: 'GET by id, one of the newest 1 %', ...read(() => random.pick(recent)) },
    { name: 'GET by id, any job of the year', ...read(() => random.pick(jobs)) },
    { name: 'GET by id, unknown', ...read(() => ({ ...random.pick(jobs), id: crypto.randomUUID() })) },
  ];
}

function lists(world: QueryWorld): readonly BenchQuery[] {
  const { random, jobs, projects } = world;
  const [largest, smallest] = [uidOfProject(0), uidOfProject(projects - 1)];
  function list(name: string, filter: () => JobFilter, target = 300): BenchQuery {
    return {
      name,
      target,
      run: (database) => listWith(filter())(database),
    };
  }
  function place(): JobFilter {
    const { projectUid, finishedAt } = random.pick(jobs);
    return { projectUid, finishedBefore: new Date(finishedAt) };
  }
  return [
    list('list, largest project', () => ({ projectUid: largest }), 100),
    list('list, smallest project', () => ({ projectUid: smallest }), 100),
    list('list, any project', () => ({ projectUid: uidOfProject(random.int(0, projects - 1)) }), 100),
    list('list, a page anywhere in the year', place, 100),
    list('filter by id', () => random.pick(jobs.map(({ projectUid, id }) => ({ projectUid, id })))),
    list('filter by state Failed', () => ({ projectUid: random.pick(jobs).projectUid, phases: ['Failed'] })),
    list('filter by a reason of 0.006 %', () => ({ projectUid: largest, reasons: ['OutcomeUnknown'] })),
    list('filter by a reason that never occurs, largest project', () => ({
      projectUid: largest,
      reasons: ['Never'],
    })),
    list('filter by bucket', () => ({
      projectUid: largest,
      bucket: { service: 'r2', bucketName: 'bucket-0-3' },
    })),
    list('filter by bucket without jobs', () => ({
      projectUid: largest,
      bucket: { service: 's3', bucketName: 'none' },
    })),
    list('filter by token', () => ({ projectUid: largest, createdBy: 'importer-2' })),
    list('filter by state, reason and week', () => ({
      ...place(),
      phases: ['Failed'],
      reasons: ['DeadlineExceeded'],
    })),
  ];
}

function searches({ random, jobs, projects }: QueryWorld): readonly BenchQuery[] {
  function search(name: string, filter: () => JobFilter): BenchQuery {
    return {
      name,
      target: 300,
      run: (database) => listWith(filter())(database),
    };
  }
  const middle = uidOfProject(Math.floor(projects / 2));
  return [
    search('search key of a job, whole key', () => {
      const { projectUid, key } = random.pick(jobs);
      return { projectUid, key };
    }),
    search('search key by prefix', () => ({ projectUid: uidOfProject(0), key: 'customers/c4ca4238a0b9/*' })),
    search('search key *x* without a match, largest project', () => ({
      projectUid: uidOfProject(0),
      key: '*no such text*',
    })),
    search('search key *x* without a match, middle project', () => ({
      projectUid: middle,
      key: '*no such text*',
    })),
    search('search token without jobs, largest project', () => ({
      projectUid: uidOfProject(0),
      createdBy: 'nobody',
    })),
  ];
}

/** Statistics of the largest project, which has a sixth of all jobs. */
function figures(world: QueryWorld): readonly BenchQuery[] {
  const all = Array.from({ length: world.projects }, (_, rank) => uidOfProject(rank));
  function usage(name: string, projectUids: readonly string[], days: number): BenchQuery {
    return {
      name,
      target: 300,
      run: (database) =>
        createFigures({ database }).usageByDay({
          projectUids,
          from: new Date(world.now.getTime() - days * DAY_MS),
          to: world.now,
        }),
    };
  }
  return [
    { name: 'statistics, 24 hours', target: 300, run: statisticsOf(world, 1, 'hour') },
    { name: 'statistics, 7 days by hour', target: 300, run: statisticsOf(world, 7, 'hour') },
    { name: 'statistics, 30 days', target: 300, run: statisticsOf(world, 30, 'day') },
    { name: 'statistics, 365 days', target: 300, run: statisticsOf(world, 365, 'day') },
    usage('usage by day, one project, 365 days', all.slice(0, 1), 364),
    usage('usage by day, 200 projects, 31 days', all, 30),
  ];
}

/** What the first pages of the dashboard ask the database, of the largest project. */
function pages({ now }: QueryWorld): readonly BenchQuery[] {
  const projectUid = uidOfProject(0);
  function overview(period: Period): BenchQuery {
    return {
      name: `dashboard: overview of ${period.label}`,
      target: 300,
      run: (database) => {
        const lists = createJobLists({ database, clock: systemClock, searchMs: PAGE_SEARCH_MS });
        const history = { ...lists, ...createFigures({ database }) };
        return readHistoryFigures(history, { projectUid, period, now }, AbortSignal.timeout(60_000));
      },
    };
  }
  return [
    ...PERIODS.map(overview),
    {
      name: 'dashboard: first page of the history',
      target: 300,
      run: (database) =>
        createJobLists({ database, clock: systemClock, searchMs: PAGE_SEARCH_MS }).listJobs(
          { projectUid },
          { limit: JOBS_ON_A_PAGE },
        ),
    },
    {
      name: 'dashboard: usage of 30 days',
      target: 300,
      run: (database) =>
        createFigures({ database }).usageByDay({
          projectUids: [projectUid],
          from: new Date(now.getTime() - 29 * DAY_MS),
          to: now,
        }),
    },
  ];
}

export function benchQueries(world: QueryWorld): readonly BenchQuery[] {
  return [...pages(world), ...reads(world), ...lists(world), ...searches(world), ...figures(world)];
}
