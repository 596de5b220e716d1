import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HistoryDatabase } from '#runtime/history/database.ts';
import { createRandom } from '#test/support/random.ts';
import { type PostgresServer, startPostgres } from '#test/support/servers/postgres-server.ts';
import { createCpuMeter } from './backend-cpu.ts';
import { generateRows, type Session, type Size } from './generate-rows.ts';
import { percentile } from './percentile.ts';
import { type BenchQuery, benchQueries, type KnownJob } from './queries.ts';
import { measureServer } from './server-times.ts';
import { measureSizes, type SizeFigure } from './sizes.ts';
import { measureWrites, type WriteFigure } from './writes.ts';

export interface QueryFigure {
  readonly query: string;
  readonly runs: number;
  readonly client_p50_ms: number;
  readonly client_p99_ms: number;
  /** Mean of a call. */
  readonly server_cpu_ms: number;
  /** Planning and execution on the server, of all statements of a call. Absent for prepared statements. */
  readonly server_p50_ms?: number;
  readonly server_p99_ms?: number;
  readonly statements?: number;
  readonly target_ms: number;
}

export interface HistoryFigures {
  readonly rows: number;
  readonly generated_s: number;
  readonly sizes: readonly SizeFigure[];
  readonly queries: readonly QueryFigure[];
  readonly writes: readonly WriteFigure[];
  /** Path of the file with the plan of each query. */
  readonly plans: string;
}

export interface HistoryBench {
  readonly rows: number;
  readonly runs: number;
  readonly isBulk: boolean;
  readonly log: (line: string) => void;
}

const DAYS = 365;
const PROJECTS = 200;
const DETAIL_DAYS = 5;
const SAMPLE = 2_000;
const WARM_UP = 6;

async function times(runs: number, run: () => Promise<unknown>): Promise<readonly number[]> {
  const taken: number[] = [];
  for (let n = 0; n < runs; n += 1) {
    const startMs = performance.now();
    await run();
    taken.push(performance.now() - startMs);
  }
  return taken;
}

async function serverFigures(database: HistoryDatabase, query: BenchQuery, runs: number) {
  const measured = measureServer(database);
  const taken: number[] = [];
  let statements = 0;
  for (let n = 0; n < runs; n += 1) {
    await query.run(measured.database);
    const { ms, statements: count } = measured.take();
    taken.push(ms);
    statements = Math.max(statements, count);
  }
  const plan = `## ${query.name}\n\n${await measured.lastPlan()}\n`;
  const server = {
    server_p50_ms: percentile(taken, 0.5),
    server_p99_ms: percentile(taken, 0.99),
    statements,
  };
  return { plan, server: query.isPrepared === true ? {} : server };
}

async function measureQuery(
  database: HistoryDatabase,
  query: BenchQuery,
  runs: number,
): Promise<{ readonly figure: QueryFigure; readonly plan: string }> {
  // A connection loads the catalogue of a partition when it first uses it, and prepared statements get their final plan.
  await times(WARM_UP, () => query.run(database));
  const cpuMs = await createCpuMeter(database);
  const startMs = cpuMs();
  const taken = await times(runs, () => query.run(database));
  const server_cpu_ms = Math.round(((cpuMs() - startMs) / runs) * 10) / 10;
  const { plan, server } = await serverFigures(database, query, Math.ceil(runs / 4));
  const client = { client_p50_ms: percentile(taken, 0.5), client_p99_ms: percentile(taken, 0.99) };
  return {
    plan,
    figure: { query: query.name, runs, ...client, server_cpu_ms, ...server, target_ms: query.target },
  };
}

/** Jobs of random pages, so that the sample has the skew of the projects. */
async function sampleJobs(session: Session, { rows }: Size): Promise<readonly KnownJob[]> {
  const share = Math.min(100, (SAMPLE * 300) / rows);
  const { rows: jobs } = await session.query(
    `SELECT project_uid AS "projectUid", id, key, finished_at::text AS "finishedAt"
     FROM zipjobs.jobs TABLESAMPLE SYSTEM (${share}) ORDER BY random() LIMIT ${SAMPLE}`,
  );
  return jobs as readonly KnownJob[];
}

/** The server as an operator runs it: it waits for the disk at each commit. */
const SERVER_OPTIONS = [
  'fsync=on',
  'full_page_writes=on',
  'synchronous_commit=on',
  'shared_buffers=1GB',
  'max_wal_size=4GB',
  'effective_cache_size=8GB',
];

async function withOwner<T>(
  server: Pick<PostgresServer, 'open'>,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  await using owner = await server.open('owner');
  return await work({ query: (text, values = []) => owner.query(text, [...values]) });
}

/** What is measured on a filled server. */
async function measureFilled(
  server: Pick<PostgresServer, 'open' | 'connect'>,
  size: Size,
  { runs, log }: HistoryBench,
): Promise<Omit<HistoryFigures, 'rows' | 'generated_s'>> {
  const jobs = await withOwner(server, (session) => sampleJobs(session, size));
  const world = { random: createRandom(1), now: new Date(), jobs, projects: size.projects };
  // One connection, whose caches are warm, as those of a process that has run for a while.
  await using reader = server.connect('reader', {
    HISTORY_POOL_SIZE: '1',
    historyStatementTimeoutMs: 60_000,
  });
  const queries: QueryFigure[] = [];
  const plans: string[] = [];
  for (const query of benchQueries(world)) {
    const { figure, plan } = await measureQuery(reader, query, runs);
    queries.push(figure);
    plans.push(plan);
    log(
      `${figure.query}: p50 ${figure.client_p50_ms} ms, p99 ${figure.client_p99_ms} ms, CPU ${figure.server_cpu_ms} ms`,
    );
  }
  const file = join(await mkdtemp(join(tmpdir(), 'zipjobs-history-plans-')), 'plans.md');
  await writeFile(file, plans.join('\n'));
  const sizes = await withOwner(server, measureSizes);
  return { sizes, queries, writes: await measureWrites(server, log), plans: file };
}

/** Fills a PostgreSQL server with jobs of a year, and measures queries, sizes and writes. */
export async function measureHistory(bench: HistoryBench): Promise<HistoryFigures> {
  const { rows, isBulk, log } = bench;
  const size = { rows, days: DAYS, detailDays: DETAIL_DAYS, projects: PROJECTS, isBulk };
  await using server = await startPostgres({ settings: SERVER_OPTIONS, isOnDisk: true });
  const generated = await withOwner(server, (session) =>
    withOwner(server, (second) => generateRows([session, second], size, { now: new Date(), log })),
  );
  log(`${rows} rows generated in ${Math.round(generated)} s`);
  return { rows, generated_s: Math.round(generated), ...(await measureFilled(server, size, bench)) };
}
