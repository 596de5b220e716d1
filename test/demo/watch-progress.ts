import { setTimeout as delay } from 'node:timers/promises';
import { bytesReadText, percentDone } from '#administration/jobs/progress-text.ts';
import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';

const INTERVAL_MS = 500;

export interface WatchOptions {
  readonly namespace: string;
  readonly name: string;
  readonly limitMs: number;
  readonly print: (line: string) => void;
}

function row([phase = '', percent = '', files = '', read = '']: readonly string[]): string {
  return `${phase.padEnd(10)}  ${percent.padStart(5)}  ${files.padEnd(9)}  ${read}`.trimEnd();
}

export const PROGRESS_HEADER = row(['PHASE', 'DONE', 'FILES', 'READ']);

/** A row for the table below the header. */
export function progressRow({ status }: Pick<ZipJob, 'status'>): string {
  const phase = status?.phase ?? 'Queued';
  const { progress } = status ?? {};
  if (progress === undefined) return row([phase]);
  const percent = phase === 'Succeeded' ? 100 : percentDone(progress);
  const files = `${progress.filesDone}/${progress.filesTotal}`;
  return row([phase, `${percent} %`, files, bytesReadText(progress)]);
}

/**
 * Prints a row each time the progress changes, until the job is finished.
 * @throws Error after the time limit.
 */
export async function watchProgress(cluster: Cluster, options: WatchOptions): Promise<ZipJob> {
  const { namespace, name, print } = options;
  const deadline = performance.now() + options.limitMs;
  let shown = '';
  print(PROGRESS_HEADER);
  while (performance.now() < deadline) {
    const live = await cluster.kubectl(['get', 'zipjob', '-n', namespace, name, '-o', 'json']);
    const job = JSON.parse(live.stdout) as ZipJob;
    const now = progressRow(job);
    if (now !== shown) print(now);
    shown = now;
    if (isFinished(job)) return job;
    await delay(INTERVAL_MS);
  }
  throw new Error(
    `${name} was not finished after ${options.limitMs / 1000} s; see: kubectl describe zipjob -n ${namespace} ${name}`,
  );
}
