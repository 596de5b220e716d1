import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { aZipJob } from './objects.ts';
import { aResult } from './zip-job-statuses.ts';

const DAY_MS = 86_400_000;

/** A time some days ago, in whole seconds. */
export function daysAgo(days: number, seconds = 0): string {
  return new Date(Math.floor((Date.now() - days * DAY_MS) / 1_000 - seconds) * 1_000)
    .toISOString()
    .replace('.000Z', 'Z');
}

export function idOf(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

interface ArchivedChange {
  readonly key?: string;
  readonly bucket?: string;
  readonly token?: string;
  readonly finishedAt?: string;
  readonly status?: Partial<NonNullable<ZipJob['status']>>;
  readonly spec?: Partial<ZipJob['spec']>;
}

/** A job of team-a that finished a day and `n` seconds ago, so that the first is the newest. */
export function aFinishedJob(n: number, change: ArchivedChange = {}): ZipJob {
  const { key = `reports/${n}.zip`, bucket = 's3-reports', token = 'ci', spec, status } = change;
  const { finishedAt = daysAgo(1, n) } = change;
  return aZipJob({
    metadata: {
      namespace: 'team-a',
      name: `zip-${idOf(n)}`,
      uid: idOf(1_000_000 + n),
      creationTimestamp: daysAgo(2),
      annotations: { [ANNOTATIONS.createdBy]: token },
    },
    spec: { bucketRef: { name: bucket }, key, ...spec },
    status: {
      phase: 'Succeeded',
      reason: 'Uploaded',
      startedAt: finishedAt,
      finishedAt,
      result: aResult({ bytes: 2_048 }),
      ...status,
    },
  });
}
