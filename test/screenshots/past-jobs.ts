/** Finished jobs of the last day, created without a zipper, so that the screenshots show a project in use. */
import { createHash } from 'node:crypto';
import { bucketResourceName, FIELD_MANAGERS, GROUP_VERSION, PLURALS, zipJobName } from '#crds/api-group.ts';
import { rfc3339 } from '#crds/conditions.ts';
import type { WebhookState, ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import { FAILURE_CODES } from '#crds/zipper-contract.ts';
import type { KubeUser } from '#test/support/clients/kube-user.ts';
import { inParallel } from '#test/support/in-parallel.ts';

const COUNT = 64;
const AT_ONCE = 8;
const DAY_MS = 86_400_000;
const MIB = 1_048_576;
const FAILURES = ['SourceExpired', 'SourceNotFound', 'SourceExpired', 'SourceUnreachable'] as const;
const EVERY_NTH_FAILS = 9;
const WEBHOOK_URL = 'https://shop.example.com/hooks/zipjobs';

/** A sequence of pseudorandom numbers below 1, always the same. */
const drawn = (index: number, what: string): number =>
  createHash('sha256').update(`${what}/${index}`).digest().readUInt32BE(0) / 0x1_00_00_00_00;

const uuidOf = (index: number): string => {
  const hex = createHash('sha256').update(`job/${index}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

const failureOf = (index: number): (typeof FAILURES)[number] | undefined =>
  index % EVERY_NTH_FAILS === 4 ? FAILURES[Math.floor(index / EVERY_NTH_FAILS) % FAILURES.length] : undefined;

const jobOf = (namespace: string, bucketName: string, index: number): ZipJob => ({
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
});

const reported = (index: number, at: string): WebhookState => ({
  state: 'Delivered',
  deliveryId: `msg_${uuidOf(index)}`,
  attempts: 1,
  lastStatus: 204,
  deliveredAt: at,
  log: [{ at, durationMs: 30 + Math.floor(drawn(index, 'took') * 200), status: 204 }],
});

const outcomeOf = ({ spec }: ZipJob, index: number, seconds: number): ZipJobStatus => {
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
};

/** More jobs during the day than at night. */
const endOf = (index: number, now: Date): Date => {
  const share = drawn(index, 'when');
  return new Date(now.getTime() - DAY_MS * 0.96 * share ** 1.3);
};

const statusOf = (job: ZipJob, index: number, now: Date): ZipJobStatus => {
  const seconds = 3 + Math.floor(drawn(index, 'seconds') * 50);
  const end = endOf(index, now);
  const startedAt = rfc3339(new Date(end.getTime() - seconds * 1_000));
  return {
    ...outcomeOf(job, index, seconds),
    acceptedAt: startedAt,
    startedAt,
    finishedAt: rfc3339(end),
    duration: `${seconds}s`,
    attemptsTotal: 1,
    webhook: reported(index, rfc3339(end)),
  };
};

export const putPastJobs = async (
  admin: KubeUser,
  {
    namespace,
    bucketName,
    now,
  }: { readonly namespace: string; readonly bucketName: string; readonly now: Date },
): Promise<void> => {
  const path = `/apis/${GROUP_VERSION}/namespaces/${namespace}/${PLURALS.ZipJob}`;
  await inParallel(COUNT, AT_ONCE, async (index) => {
    const job = jobOf(namespace, bucketName, index);
    const { apiVersion, kind, metadata } = job;
    const created = await admin.request('POST', path, { body: job });
    const status = statusOf(job, index, now);
    const applied = await admin.request(
      'PATCH',
      `${path}/${metadata.name}/status?fieldManager=${FIELD_MANAGERS.controller}&force=true`,
      { patch: 'apply', body: { apiVersion, kind, metadata, status } },
    );
    if (created.status !== 201 || applied.status !== 200)
      throw new Error(`ZipJob ${metadata.name} was not created: ${created.message} ${applied.message}`);
  });
};
