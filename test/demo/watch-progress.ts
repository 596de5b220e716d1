import { setTimeout as delay } from 'node:timers/promises';
import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';

const INTERVAL_MS = 500;

export interface WatchOptions {
  readonly namespace: string;
  readonly name: string;
  readonly limitMs: number;
  readonly print: (line: string) => void;
}

/** The age column changes every second; a row is printed only when another column changes. */
function withoutAge(row: string): string {
  return row.replace(/\s+\S+$/, '');
}

/**
 * Prints `kubectl get zipjobs` each time it changes, until the job is finished.
 * @throws Error after the time limit.
 */
export async function watchProgress(cluster: Cluster, options: WatchOptions): Promise<ZipJob> {
  const { namespace, name, print } = options;
  const deadline = performance.now() + options.limitMs;
  let shown = '';
  while (performance.now() < deadline) {
    const table = await cluster.kubectl(['get', 'zipjobs', '-n', namespace, name]);
    const [header = '', row = ''] = table.stdout.trimEnd().split('\n');
    if (shown === '') print(header);
    if (withoutAge(row) !== shown) print(row);
    shown = withoutAge(row);
    const live = await cluster.kubectl(['get', 'zipjob', '-n', namespace, name, '-o', 'json']);
    const job = JSON.parse(live.stdout) as ZipJob;
    if (isFinished(job)) return job;
    await delay(INTERVAL_MS);
  }
  throw new Error(
    `${name} was not finished after ${options.limitMs / 1000} s; see: kubectl describe zipjob -n ${namespace} ${name}`,
  );
}
