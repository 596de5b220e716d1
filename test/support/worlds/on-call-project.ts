/** A project in which a night went wrong, for pages and questions of someone on call. The API server is in memory. */
import { ANNOTATIONS, WEBHOOK_SECRET_NAME } from '#crds/api-group.ts';
import type { WebhookState, ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import type { Secret } from '#runtime/kube/resources.ts';
import { idOf } from '../builders/archived-jobs.ts';
import { aZipBucket, aZipJob } from '../builders/objects.ts';
import { aResult, progressOf } from '../builders/zip-job-statuses.ts';
import { aToken } from '../servers/api-server.ts';
import { COLLECTIONS, type DashboardProject, TEAM } from './dashboard-project.ts';

const HOUR_SECONDS = 3_600;
const FILES = 12;
const RECEIVER = 'https://shop.example.com/hooks/zipjobs';
const KEY_EXPIRED = 'The access key ID does not exist in our records.';

/** Some seconds before now, in whole seconds. The overview compares with the clock. */
function secondsAgo(seconds: number): string {
  return `${new Date(Date.now() - seconds * 1_000).toISOString().slice(0, 19)}Z`;
}

/** Numbers of the jobs: their IDs are `idOf` of them. */
export const ON_CALL_JOBS = {
  expiredUrls: 1,
  brokenSource: 2,
  rejectedKey: 3,
  missingFiles: 4,
  waiting: 5,
  running: 6,
  unreported: 7,
  rerun: 8,
} as const;

interface Request {
  readonly key: string;
  readonly bucket?: string;
  /** Seconds. */
  readonly createdAgo?: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

function filesAt(host: string, count: number) {
  return Array.from({ length: count }, (_, n) => ({
    url: `https://${host}/${n}?sig=SECRET`,
    filename: `photo-${n}.jpg`,
  }));
}

function jobOf(
  n: number,
  { key, bucket = 's3-exports', createdAgo = 2 * HOUR_SECONDS, annotations }: Request,
  status: ZipJobStatus,
): ZipJob {
  const plain = aZipJob({
    metadata: {
      namespace: TEAM,
      name: `zip-${idOf(n)}`,
      uid: idOf(1_000_000 + n),
      creationTimestamp: secondsAgo(createdAgo),
      annotations: {
        [ANNOTATIONS.createdBy]: 'nightly-export',
        [ANNOTATIONS.acceptedAt]: secondsAgo(createdAgo),
        ...annotations,
      },
    },
    status,
  });
  return {
    ...plain,
    spec: {
      bucketRef: { name: bucket },
      service: 's3',
      key,
      files: filesAt('photos.example.com', FILES),
      metadata: '{"customer":4711}',
      webhook: { url: RECEIVER, events: ['COMPLETED', 'FAILED'] },
    },
  };
}

const delivered: WebhookState = {
  state: 'Delivered',
  attempts: 1,
  log: [{ at: secondsAgo(HOUR_SECONDS), durationMs: 48, bytes: 1_204, attempt: 1, status: 204 }],
};
const refused: WebhookState = {
  state: 'Exhausted',
  attempts: 3,
  log: [1, 2, 3].map((attempt) => ({
    at: secondsAgo(HOUR_SECONDS - attempt),
    durationMs: 310,
    bytes: 1_204,
    attempt,
    status: 503,
  })),
};

function failed(failure: NonNullable<ZipJobStatus['failure']>, more: ZipJobStatus = {}): ZipJobStatus {
  return {
    phase: 'Failed',
    reason: failure.code,
    message: failure.message ?? failure.code,
    acceptedAt: secondsAgo(2 * HOUR_SECONDS),
    startedAt: secondsAgo(HOUR_SECONDS + 90),
    finishedAt: secondsAgo(HOUR_SECONDS),
    duration: '90s',
    attemptsTotal: 1,
    failure,
    webhook: delivered,
    ...more,
  };
}

function succeeded(more: ZipJobStatus = {}): ZipJobStatus {
  return {
    phase: 'Succeeded',
    reason: 'Uploaded',
    acceptedAt: secondsAgo(2 * HOUR_SECONDS),
    startedAt: secondsAgo(HOUR_SECONDS + 60),
    finishedAt: secondsAgo(HOUR_SECONDS),
    duration: '60s',
    attemptsTotal: 1,
    result: aResult({ bytes: 730_000_000, entries: 12, seconds: 60 }),
    webhook: delivered,
    ...more,
  };
}

function jobs(): readonly ZipJob[] {
  return [
    jobOf(
      ON_CALL_JOBS.expiredUrls,
      { key: 'exports/nightly-orders.zip' },
      failed({ code: 'SourceExpired', fileIndex: 3, httpStatus: 403, retriable: false }),
    ),
    jobOf(
      ON_CALL_JOBS.brokenSource,
      { key: 'exports/product-images.zip' },
      failed(
        { code: 'SourceUnavailable', fileIndex: 0, httpStatus: 503, retriable: true },
        { attemptsTotal: 4, finishedAt: secondsAgo(HOUR_SECONDS - 60) },
      ),
    ),
    jobOf(
      ON_CALL_JOBS.rejectedKey,
      { key: 'press/kit.zip', bucket: 's3-press-kit' },
      failed({ code: 'BucketCredentialsInvalid', message: KEY_EXPIRED, retriable: false }),
    ),
    jobOf(
      ON_CALL_JOBS.missingFiles,
      { key: 'exports/invoices.zip' },
      failed(
        { code: 'SourceNotFound', fileIndex: 2, httpStatus: 404, retriable: false },
        {
          sourceCheck: {
            checked: 12,
            failed: 2,
            failures: [
              { fileIndex: 2, code: 'SourceNotFound', httpStatus: 404 },
              { fileIndex: 7, code: 'SourceNotFound', httpStatus: 410 },
            ],
            bytes: 20_971_520,
            lengths: 10,
          },
        },
      ),
    ),
    jobOf(
      ON_CALL_JOBS.waiting,
      { key: 'exports/waiting.zip', createdAgo: 1_500 },
      {
        phase: 'Queued',
        reason: 'SlotsTaken',
        message: 'The project runs as many jobs as its limit allows.',
        acceptedAt: secondsAgo(1_500),
      },
    ),
    jobOf(
      ON_CALL_JOBS.running,
      { key: 'exports/running.zip', createdAgo: 600 },
      {
        phase: 'Running',
        reason: 'Running',
        acceptedAt: secondsAgo(600),
        startedAt: secondsAgo(580),
        attemptsTotal: 1,
        progress: progressOf('pod-1'),
      },
    ),
    jobOf(ON_CALL_JOBS.unreported, { key: 'exports/customer-4711.zip' }, succeeded({ webhook: refused })),
    jobOf(
      ON_CALL_JOBS.rerun,
      {
        key: 'exports/product-images.zip',
        createdAgo: HOUR_SECONDS / 2,
        annotations: { [ANNOTATIONS.runAgainOf]: `zip-${idOf(ON_CALL_JOBS.brokenSource)}` },
      },
      succeeded({ startedAt: secondsAgo(1_700), finishedAt: secondsAgo(1_600) }),
    ),
  ];
}

/** Puts the jobs, buckets and tokens of that night into the project. */
export function fillOnCallProject(project: DashboardProject): void {
  project.putProject(
    {
      displayName: 'Photo orders',
      limits: { activeJobs: 1 },
      webhook: { url: RECEIVER, endpoints: [{ name: 'audit', events: ['FAILED'] }] },
    },
    { metadata: { uid: '00000000-0000-4000-8000-0000000000aa' } },
  );
  for (const job of jobs()) {
    project.server.zipJobs.put(job);
    project.objects.put(COLLECTIONS.zipJobs, job);
  }
  const secret: Secret = {
    metadata: { namespace: TEAM, name: WEBHOOK_SECRET_NAME },
    data: {
      current: btoa('whsec_default'),
      'audit.current': btoa('whsec_audit'),
      'audit.url': btoa('https://audit.example.com/zips'),
    },
  };
  project.objects.put(COLLECTIONS.secrets, secret);
  const tested = { nonce: 'one', finishedAt: secondsAgo(1_200) };
  project.putBucket({
    ...aZipBucket({ bucketName: 'exports' }),
    metadata: { namespace: TEAM, name: 's3-exports' },
  });
  project.putBucket({
    ...aZipBucket({ bucketName: 'press-kit' }),
    metadata: { namespace: TEAM, name: 's3-press-kit' },
    status: {
      test: tested,
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          reason: 'BucketCredentialsInvalid',
          message: KEY_EXPIRED,
          lastTransitionTime: tested.finishedAt,
        },
      ],
    },
  });
  const token = aToken(TEAM, 'secret', { name: 'nightly-export' });
  project.putToken({ ...token, spec: { ...token.spec, displayName: 'Nightly export' } });
}

/** Parameters of routes, for objects of this project. */
export const ON_CALL_PARAMS: Readonly<Record<string, string>> = {
  project: TEAM,
  job: `zip-${idOf(ON_CALL_JOBS.missingFiles)}`,
  service: 's3',
  bucket: 'press-kit',
  token: 'nightly-export',
  endpoint: 'audit',
};
