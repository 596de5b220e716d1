import type { Job } from '#administration/jobs/job-view.ts';
import type { JobQuery } from '#administration/jobs/list-jobs.ts';
import { overallState } from '#crds/webhook-endpoints.ts';
import { AppError } from '#runtime/errors.ts';
import { pause } from '#runtime/time/clock.ts';
import { jobColumns, jobRow, type ListStyle } from './job-text.ts';
import type { Output } from './output.ts';
import { printLive } from './print-live.ts';
import type { Session } from './session.ts';
import { columnWidths, toLines } from './table.ts';

/** Each list reads all matching jobs. */
const INTERVAL_MS = 3_000;

/** Everything but the age, which changes without an event. */
function stateOf({ phase, reason, progress, attemptsTotal, webhook, node }: Job): string {
  const { filesDone, bytesUploaded } = progress ?? {};
  return JSON.stringify([
    phase,
    reason,
    filesDone,
    bytesUploaded,
    attemptsTotal,
    webhook && overallState(webhook),
    node,
  ]);
}

/** Lists the jobs, and after a failure that a retry may mend lists them later. */
async function listOrNote(query: JobQuery, session: Session): Promise<readonly Job[]> {
  const { administration, namespace, signal, terminal } = session;
  try {
    return (await administration.jobs(namespace).list(query, signal)).jobs;
  } catch (error) {
    if (!(error instanceof AppError) || !error.retryable || signal.aborted) throw error;
    terminal.note(`${error.message}. Watching continues`);
    return [];
  }
}

/** Prints a table of the jobs, then a line for each new job and each change, until the user interrupts it. */
export async function watchJobs(
  {
    query,
    style,
    first,
  }: {
    readonly query: JobQuery;
    readonly style: Omit<ListStyle, 'now'>;
    readonly first: readonly Job[];
  },
  session: Session,
): Promise<Output> {
  const { terminal, clock, signal } = session;
  const header = jobColumns({ ...style, now: clock.date() });
  const states = new Map<string, string>();
  let jobs = first;
  let widths: readonly number[] | undefined;
  for (;;) {
    const now = clock.date();
    const changed = jobs.filter((job) => states.get(`${job.project}/${job.name}`) !== stateOf(job));
    for (const job of changed) states.set(`${job.project}/${job.name}`, stateOf(job));
    const rows = changed.map((job) => jobRow(job, { ...style, now }));
    if (widths === undefined || rows.length > 0) {
      const lines = widths === undefined ? [header, ...rows] : rows;
      widths ??= columnWidths(header, rows);
      if (!(await printLive(terminal, `${toLines(lines, widths)}\n`))) return { value: null, text: '' };
    }
    await pause(clock, INTERVAL_MS, signal);
    signal.throwIfAborted();
    jobs = await listOrNote(query, session);
  }
}
