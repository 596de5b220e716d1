import type { HistoryDatabase } from '#runtime/history/database.ts';
import type { HistoryJob } from '#runtime/history/history-job.ts';
import { writeJobs } from '#runtime/history/write-jobs.ts';
import { createRandom, type Random } from '../random.ts';

/** A UUID with this number in its last digits. */
export function uuidOf(kind: number, n: number): string {
  return `00000000-0000-4000-8000-${(kind * 1_000_000 + n).toString().padStart(12, '0')}`;
}

const RESULTS = [
  ['Succeeded', 'Uploaded'],
  ['Succeeded', 'VerifiedInStore'],
  ['Failed', 'SourceNotFound'],
  ['Failed', 'DeadlineExceeded'],
  ['Cancelled', 'Cancelled'],
] as const;
const BUCKETS = [
  ['s3', 'reports'],
  ['r2', 'reports'],
  ['s3', 'media'],
] as const;
const KEYS = [
  'a.zip',
  'b/100%.zip',
  'b/1000.zip',
  'b/c_d.zip',
  'b/cxd.zip',
  String.raw`b\c.zip`,
  'B/A.zip',
  'ä€😀.zip',
];

function secondsOf(time: Date): string {
  return time.toISOString().replace('.000Z', 'Z');
}

function jobOf(n: number, random: Random, finished: Date): HistoryJob {
  const [phase, reason] = random.pick(RESULTS);
  const [service, bucketName] = random.pick(BUCKETS);
  const durationMs = random.int(0, 400_000) * 10;
  return {
    finishedAt: secondsOf(finished),
    projectUid: uuidOf(1, random.int(1, 2)),
    uid: uuidOf(2, n),
    id: uuidOf(3, n),
    clusterUid: uuidOf(4, 1),
    namespace: 'acme',
    name: `zip-${uuidOf(3, n)}`,
    createdAt: secondsOf(finished),
    startedAt: secondsOf(finished),
    phase,
    reason,
    service,
    bucketName,
    key: random.pick(KEYS),
    files: random.int(1, 9),
    bytes: phase === 'Succeeded' ? random.int(1, 1_000_000) : 0,
    durationMs,
    createdBy: random.pick(['importer', 'exporter', null]),
    webhookState: 'Delivered',
    runAgainOf: null,
    requestSha256: null,
  };
}

/**
 * Jobs of two projects within the days before `now`, most of them within the last two. Many finished in the same second. The same for
 * a seed.
 */
export function randomHistoryJobs(
  seed: number,
  count: number,
  { now, days }: { readonly now: Date; readonly days: number },
) {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, n) => {
    const spanS = random.next() < 0.5 ? 600 : days * 86_400;
    const second = Math.floor(now.getTime() / 1_000) - 1 - random.int(0, spanS - 1);
    return jobOf(n, random, new Date(second * 1_000));
  });
}

/** Stores jobs with the metadata `{"n":"<uid>"}`. */
export async function storeHistoryJobs(
  writer: Pick<HistoryDatabase, 'query' | 'transaction'>,
  jobs: readonly HistoryJob[],
): Promise<void> {
  for (let n = 0; n < jobs.length; n += 500)
    await writeJobs(
      writer,
      jobs.slice(n, n + 500).map((job) => ({ job, metadata: `{"n":"${job.uid}"}`, detail: '{}' })),
    );
}
