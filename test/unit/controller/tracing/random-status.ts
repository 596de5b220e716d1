import { ANNOTATIONS } from '#crds/api-group.ts';
import { rfc3339 } from '#crds/conditions.ts';
import type { Attempt, WebhookDelivery, ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import { aZipJob, NOW } from '#test/support/builders/objects.ts';
import { aCondition } from '#test/support/builders/zip-job-statuses.ts';
import type { Random } from '#test/support/random.ts';

/** Texts that no trace may contain: 40 of them, in every field that callers, tenants, stores and pods can fill. */
export const CANARIES: readonly string[] = Array.from({ length: 40 }, (_, n) => `canary${n}Canary`);

function canary(n: number): string {
  return CANARIES[n] ?? '';
}

/** Times in any order: clocks differ, and fields are missing. */
function anyTime(random: Random): string {
  return rfc3339(new Date(NOW.getTime() + random.int(-4_000, 4_000) * 1_000));
}

function maybe<T>(random: Random, value: T): T | undefined {
  return random.next() < 0.8 ? value : undefined;
}

function anAttempt(random: Random, n: number): Attempt {
  const startedAt = maybe(random, anyTime(random));
  const finishedAt = maybe(random, anyTime(random));
  return {
    n,
    podUid: canary(0),
    ...(startedAt !== undefined && { startedAt }),
    ...(finishedAt !== undefined && { finishedAt }),
    exitCode: random.int(0, 137),
    class: random.pick(['success', 'permanent', 'transient', 'disruption', 'oom', 'superseded']),
    reason: random.pick(['OOMKilled', 'SourceNotFound', canary(1)]),
    message: canary(2),
    upload: { uploadId: canary(3), owner: canary(4), state: 'open', partSize: 1 },
  };
}

function aDelivery(random: Random, attempt: number): WebhookDelivery {
  return {
    at: anyTime(random),
    durationMs: random.int(0, 20_000),
    bytes: 300,
    attempt,
    ...(random.next() < 0.5
      ? { status: random.pick([200, 204, 410, 500]) }
      : { error: random.pick(['timeout', canary(5)]) }),
  };
}

function numbers(length: number): readonly number[] {
  return Array.from({ length }, (_, index) => index + 1);
}

function aWebhook(random: Random): NonNullable<ZipJobStatus['webhook']> {
  const again = random.next() < 0.2 ? numbers(random.int(1, 3)) : [];
  const attempts = [...numbers(random.int(0, 5)), ...again];
  return {
    state: random.pick(['Pending', 'Delivered', 'Exhausted', 'NotConfigured']),
    deliveryId: canary(6),
    attempts: attempts.length,
    nextAttemptAt: anyTime(random),
    log: attempts.map((attempt) => aDelivery(random, attempt)),
  };
}

function conditionsOf(random: Random): NonNullable<ZipJobStatus['conditions']> {
  const all = ['JobCreated', 'Running', 'Recovered', 'Complete'].map((type) =>
    aCondition(
      type,
      [random.pick(['True', 'False']), random.pick(['Recovered', 'NothingToRecover', canary(7)])],
      {
        lastTransitionTime: anyTime(random),
        message: canary(8),
      },
    ),
  );
  return all.filter(() => random.next() < 0.8);
}

function aResult(random: Random): NonNullable<ZipJobStatus['result']> {
  const seconds = random.int(0, 9_000_000) / 1_000;
  return {
    bytes: 7,
    etag: canary(9),
    entries: 3,
    skipped: [1],
    sha256: canary(10),
    seconds,
    ...(random.next() < 0.8 && { fetchSeconds: random.next() * seconds * 2 }),
    peakMemory: 1,
    retries: 2,
    contractVersion: 1,
  };
}

/** A finished ZipJob with times in any order and canaries in every text. */
export function aRandomJob(random: Random, uid: string): ZipJob {
  const traceparent = [undefined, canary(11), `00-${'1f'.repeat(16)}-${'2e'.repeat(8)}-01`][random.int(0, 2)];
  const requestId = maybe(random, canary(12));
  const startedAt = maybe(random, anyTime(random));
  const acceptedAt = maybe(random, anyTime(random));
  return aZipJob({
    metadata: {
      uid,
      creationTimestamp: anyTime(random),
      labels: { [canary(13)]: canary(14) },
      annotations: {
        [ANNOTATIONS.acceptedAt]: random.pick([anyTime(random), canary(15)]),
        [ANNOTATIONS.createdBy]: canary(16),
        [ANNOTATIONS.requestSha256]: canary(17),
        [canary(18)]: canary(19),
        ...(traceparent !== undefined && { [ANNOTATIONS.traceparent]: traceparent }),
        ...(requestId !== undefined && { [ANNOTATIONS.requestId]: requestId }),
      },
    },
    spec: {
      bucketRef: { name: `s3-${canary(20)}` },
      key: canary(21),
      files: [{ url: `https://${canary(22)}/${canary(23)}?token=${canary(24)}`, filename: canary(25) }],
      filesFrom: { secretNames: [canary(26)], encoding: 'gzip+json', count: 1, sha256: canary(27) },
      metadata: `{"${canary(28)}":"${canary(29)}"}`,
      manifestEntry: canary(30),
      priorityClassName: canary(31),
      queueName: canary(32),
      objectOptions: {
        contentDisposition: canary(33),
        metadata: { [canary(34)]: canary(35) },
        tags: { a: canary(36) },
      },
      webhook: { url: `https://${canary(37)}/${canary(38)}`, events: ['COMPLETED'] },
    },
    status: {
      phase: random.pick(['Succeeded', 'Failed', 'Cancelled']),
      reason: random.pick(['Uploaded', 'VerifiedInStore', 'SourceNotFound', canary(1)]),
      message: canary(2),
      ...(acceptedAt !== undefined && { acceptedAt }),
      ...(startedAt !== undefined && { startedAt }),
      finishedAt: anyTime(random),
      job: { name: canary(3), uid: canary(4), podName: canary(5), node: canary(39) },
      attempts: numbers(random.int(0, 10)).map((n) => anAttempt(random, n)),
      attemptsTotal: 3,
      webhook: aWebhook(random),
      conditions: conditionsOf(random),
      failure: { code: canary(1), message: canary(2), retriable: false },
      upload: { uploadId: canary(3), state: 'open', partSize: 1 },
      ...(random.next() < 0.7 && { result: aResult(random) }),
    },
  });
}
