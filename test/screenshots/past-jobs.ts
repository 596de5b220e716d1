/** Finished jobs that no zipper created, so that the screenshots show a project in use. */
import { createHash } from 'node:crypto';
import { bucketResourceName, FIELD_MANAGERS, GROUP_VERSION, PLURALS, zipJobName } from '#crds/api-group.ts';
import { type Condition, rfc3339 } from '#crds/conditions.ts';
import { FAILURE_CODES } from '#crds/exit-codes.ts';
import type { Attempt, WebhookState, ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import type { KubeUser } from '#test/support/clients/kube-user.ts';
import { inParallel } from '#test/support/in-parallel.ts';

const COUNT = 64;
const AT_ONCE = 8;
const WITHIN_MS = 23 * 3_600_000;
const MIB = 1_048_576;
const FAILURES = ['SourceExpired', 'SourceNotFound', 'SourceExpired', 'SourceUnreachable'] as const;
const EVERY_NTH_FAILS = 9;
const WEBHOOK_URL = 'https://shop.example.com/hooks/zipjobs';

interface Place {
  readonly namespace: string;
  readonly bucketName: string;
}

/** A time that ends now. */
interface Span {
  readonly now: Date;
  readonly withinMs: number;
}

/** A sequence of pseudorandom numbers below 1, always the same. */
export function drawn(index: number, what: string): number {
  return createHash('sha256').update(`${what}/${index}`).digest().readUInt32BE(0) / 0x1_00_00_00_00;
}

function uuidOf(index: number): string {
  const hex = createHash('sha256').update(`job/${index}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function failureOf(index: number): (typeof FAILURES)[number] | undefined {
  return index % EVERY_NTH_FAILS === 4
    ? FAILURES[Math.floor(index / EVERY_NTH_FAILS) % FAILURES.length]
    : undefined;
}

function jobOf({ namespace, bucketName }: Place, index: number): ZipJob {
  return {
    apiVersion: GROUP_VERSION,
    kind: 'ZipJob',
    metadata: { namespace, name: zipJobName(uuidOf(index)) },
    spec: {
      bucketRef: { name: bucketResourceName('s3', bucketName) },
      service: 's3',
      key: `orders/2026/${String(48_000 + index * 7)}.zip`,
      files: Array.from({ length: 3 + Math.floor(drawn(index, 'files') * 60) }, (_, file) => ({
        url: `https://photos.example.com/${index}/${file}.jpg`,
        filename: `${file + 1}.jpg`,
      })),
      webhook: { url: WEBHOOK_URL, events: ['COMPLETED', 'FAILED'] },
      // Suspended, so that no controller starts it before its status is set.
      suspend: true,
    },
  };
}

function reported(index: number, at: string): WebhookState {
  return {
    state: 'Delivered',
    deliveryId: `msg_${uuidOf(index)}`,
    attempts: 1,
    lastStatus: 204,
    deliveredAt: at,
    log: [
      { at, durationMs: 30 + Math.floor(drawn(index, 'took') * 200), bytes: 435, attempt: 1, status: 204 },
    ],
  };
}

function outcomeOf({ spec }: ZipJob, index: number, seconds: number): ZipJobStatus {
  const code = failureOf(index);
  if (code !== undefined) {
    const message = FAILURE_CODES[code].text;
    return {
      phase: 'Failed',
      reason: code,
      message,
      apiStatus: 'failed',
      failure: { code, message, fileIndex: 2, retriable: false },
    };
  }
  return {
    phase: 'Succeeded',
    reason: 'Uploaded',
    apiStatus: 'succeeded',
    result: {
      contractVersion: 1,
      bytes: Math.floor((spec.files?.length ?? 0) * (2 + 6 * drawn(index, 'bytes')) * MIB),
      entries: spec.files?.length ?? 0,
      etag: '"0123456789abcdef0123456789abcdef-1"',
      retries: 0,
      peakMemory: 128 * MIB,
      seconds,
    },
  };
}

/** Within this time before now, more of them towards its end. */
function endOf(index: number, { now, withinMs }: Span): Date {
  return new Date(now.getTime() - withinMs * drawn(index, 'when') ** 1.3);
}

function createdAt(lastTransitionTime: string): Condition {
  return {
    type: 'JobCreated',
    status: 'True',
    reason: 'Created',
    message: '',
    lastTransitionTime,
  };
}

function attemptOf(
  index: number,
  { failure }: ZipJobStatus,
  times: { readonly startedAt: string; readonly finishedAt: string },
): Attempt {
  return {
    n: 1,
    podUid: uuidOf(index),
    ...times,
    ...(failure === undefined
      ? { class: 'success', exitCode: 0 }
      : { class: 'permanent', exitCode: 12, reason: failure.code }),
  };
}

function statusOf(job: ZipJob, index: number, span: Span): ZipJobStatus {
  const seconds = 3 + Math.floor(drawn(index, 'seconds') * 50);
  const end = endOf(index, span);
  function before(earlier: number): string {
    return rfc3339(new Date(end.getTime() - earlier * 1_000));
  }
  const [startedAt, finishedAt] = [before(seconds), before(0)];
  const outcome = outcomeOf(job, index, seconds);
  return {
    ...outcome,
    acceptedAt: before(seconds + 3),
    startedAt,
    finishedAt,
    duration: `${seconds}s`,
    conditions: [createdAt(before(seconds + 2))],
    attempts: [attemptOf(index, outcome, { startedAt, finishedAt })],
    attemptsTotal: 1,
    webhook: reported(index, finishedAt),
  };
}

/** The job of a number, finished within a time. */
export function pastJob(place: Place, index: number, span: Span): ZipJob {
  const job = jobOf(place, index);
  return { ...job, status: statusOf(job, index, span) };
}

export async function putPastJobs(admin: KubeUser, place: Place, now: Date): Promise<void> {
  const path = `/apis/${GROUP_VERSION}/namespaces/${place.namespace}/${PLURALS.ZipJob}`;
  await inParallel(COUNT, AT_ONCE, async (index) => {
    const { status, ...job } = pastJob(place, index, { now, withinMs: WITHIN_MS });
    const { apiVersion, kind, metadata } = job;
    const created = await admin.request('POST', path, { body: job });
    const applied = await admin.request(
      'PATCH',
      `${path}/${metadata.name}/status?fieldManager=${FIELD_MANAGERS.controller}&force=true`,
      { patch: 'apply', body: { apiVersion, kind, metadata, status } },
    );
    if (created.status !== 201 || applied.status !== 200)
      throw new Error(`ZipJob ${metadata.name} was not created: ${created.message} ${applied.message}`);
  });
}
