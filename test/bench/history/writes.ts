import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ZipJob } from '#crds/zip-job.ts';
import { toHistoryEntry } from '#runtime/history/archived-form.ts';
import type { HistoryDatabase } from '#runtime/history/database.ts';
import type { HistoryEntry } from '#runtime/history/history-job.ts';
import { writeJobs } from '#runtime/history/write-jobs.ts';
import { productionZipJob } from '#test/support/builders/production-objects.ts';
import type { PostgresServer } from '#test/support/servers/postgres-server.ts';
import { createCpuMeter } from './backend-cpu.ts';
import type { Session } from './generate-rows.ts';
import { percentile } from './percentile.ts';
import { uidOfProject } from './queries.ts';

export interface WriteFigure {
  readonly what: string;
  readonly jobs_per_s: number;
  readonly batch: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  /** Of the server process, which does not depend on other load as times of a clock do. */
  readonly server_cpu_ms_per_job: number;
  /** Write-ahead log, which replicas and backups receive. */
  readonly wal_bytes_per_job: number;
}

interface Load {
  readonly what: string;
  readonly batch: number;
  /** Batches per second; 0 for as many as possible. */
  readonly perSecond: number;
  readonly seconds: number;
}

const LOADS: readonly Load[] = [
  { what: '50 jobs a second, one at a time', batch: 1, perSecond: 50, seconds: 10 },
  { what: '50 jobs a second, in batches', batch: 50, perSecond: 1, seconds: 20 },
  { what: 'as fast as possible, in batches', batch: 200, perSecond: 0, seconds: 10 },
];

/** Jobs that finish now, in projects of random size. */
function entriesOf(count: number): readonly HistoryEntry[] {
  const template = productionZipJob(1) as ZipJob;
  const finishedAt = new Date().toISOString();
  return Array.from({ length: count }, () => {
    const [uid, id] = [randomUUID(), randomUUID()];
    const projectUid = uidOfProject(Math.floor(200 * Math.random() ** 3));
    const entry = toHistoryEntry(template, { projectUid, clusterUid: projectUid });
    return { ...entry, job: { ...entry.job, uid, id, name: `zip-${id}`, finishedAt } };
  });
}

async function walPosition(session: Session): Promise<number> {
  const { rows } = await session.query(`SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS bytes`);
  return Number((rows as readonly { bytes: string }[])[0]?.bytes);
}

async function measureLoad(
  writer: HistoryDatabase,
  session: Session,
  { what, batch, perSecond, seconds }: Load,
): Promise<WriteFigure> {
  const times: number[] = [];
  // So that the log has every page that the load changes, whenever the last checkpoint was.
  await session.query('CHECKPOINT');
  const cpuMs = await createCpuMeter(writer);
  const startCpuMs = cpuMs();
  const [startMs, startWal] = [performance.now(), await walPosition(session)];
  for (let n = 0; performance.now() - startMs < seconds * 1_000; n += 1) {
    if (perSecond > 0) await delay(Math.max(0, startMs + (n * 1_000) / perSecond - performance.now()));
    const entries = entriesOf(batch);
    const sentMs = performance.now();
    await writeJobs(writer, entries);
    times.push(performance.now() - sentMs);
  }
  const jobs = times.length * batch;
  return {
    what,
    batch,
    jobs_per_s: Math.round(jobs / ((performance.now() - startMs) / 1_000)),
    p50_ms: percentile(times, 0.5),
    p99_ms: percentile(times, 0.99),
    server_cpu_ms_per_job: Math.round(((cpuMs() - startCpuMs) / jobs) * 1_000) / 1_000,
    wal_bytes_per_job: Math.round(((await walPosition(session)) - startWal) / jobs),
  };
}

/** What the controller's writes cost, on the tables with all rows. */
export async function measureWrites(
  server: Pick<PostgresServer, 'open' | 'connect'>,
  log: (line: string) => void,
): Promise<readonly WriteFigure[]> {
  await using administrator = await server.open('superuser');
  const session: Session = { query: (text, values = []) => administrator.query(text, [...values]) };
  await session.query('SELECT zipjobs.make_partitions(now()::date, now()::date + 1)');
  // One connection, whose CPU time is read.
  await using writer = server.connect('writer', { HISTORY_POOL_SIZE: '1' });
  const figures: WriteFigure[] = [];
  await writeJobs(writer, entriesOf(50));
  for (const load of LOADS) {
    const figure = await measureLoad(writer, session, load);
    figures.push(figure);
    log(`${figure.what}: ${figure.jobs_per_s} jobs/s, p50 ${figure.p50_ms} ms, p99 ${figure.p99_ms} ms`);
  }
  return figures;
}
