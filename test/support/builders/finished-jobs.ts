/** Finished jobs with a pending webhook, created without a zipper: for tests of many deliveries. */
import { randomUUID } from 'node:crypto';
import { firstWebhookState } from '#controller/webhook/retries.ts';
import { bucketResourceName, FIELD_MANAGERS, GROUP_VERSION, PLURALS, zipJobName } from '#crds/api-group.ts';
import { rfc3339 } from '#crds/conditions.ts';
import type { ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import type { KubeUser } from '../clients/kube-user.ts';
import { inParallel } from '../in-parallel.ts';

const AT_ONCE = 16;

export interface FinishedJobs {
  readonly namespace: string;
  readonly count: number;
  /** Name of a bucket of the project: a job without one fails at once. */
  readonly bucketName: string;
  /** URL of the webhook of the n-th job. */
  readonly url: (index: number) => string;
}

function pathOf(namespace: string): string {
  return `/apis/${GROUP_VERSION}/namespaces/${namespace}/${PLURALS.ZipJob}`;
}

function jobOf({ namespace, bucketName }: FinishedJobs, url: string): ZipJob {
  return {
    apiVersion: GROUP_VERSION,
    kind: 'ZipJob',
    metadata: { namespace, name: zipJobName(randomUUID()) },
    spec: {
      bucketRef: { name: bucketResourceName('s3', bucketName) },
      service: 's3',
      key: `${randomUUID()}.zip`,
      files: [{ url: 'https://files.example/a', filename: 'a' }],
      webhook: { url, events: ['COMPLETED'] },
    },
  };
}

function statusOf(job: ZipJob, now: Date): ZipJobStatus {
  return {
    phase: 'Succeeded',
    reason: 'Uploaded',
    apiStatus: 'succeeded',
    acceptedAt: rfc3339(now),
    finishedAt: rfc3339(now),
    webhook: firstWebhookState(job, 'COMPLETED', now),
  };
}

/**
 * Creates them and returns their names with the time (of `performance.now`) at which each delivery was due.
 */
export async function putFinishedJobs(
  admin: KubeUser,
  jobs: FinishedJobs,
): Promise<ReadonlyMap<string, number>> {
  const { namespace, count, url } = jobs;
  const due = new Map<string, number>();
  await inParallel(count, AT_ONCE, async (index) => {
    const job = jobOf(jobs, url(index));
    const { name } = job.metadata;
    // Suspended, so that a controller ignores it until it is finished.
    const body = { ...job, spec: { ...job.spec, suspend: true } };
    const created = await admin.request('POST', pathOf(namespace), { body });
    const { apiVersion, kind } = job;
    const applied = await admin.request(
      'PATCH',
      `${pathOf(namespace)}/${name}/status?fieldManager=${FIELD_MANAGERS.controller}&force=true`,
      {
        patch: 'apply',
        body: { apiVersion, kind, metadata: { namespace, name }, status: statusOf(job, new Date()) },
      },
    );
    if (created.status !== 201 || applied.status !== 200)
      throw new Error(`ZipJob ${name} was not created: ${created.message} ${applied.message}`);
    due.set(name, performance.now());
  });
  return due;
}

export async function zipJobsOf(admin: KubeUser, namespace: string): Promise<readonly ZipJob[]> {
  const { status, body, message } = await admin.request('GET', pathOf(namespace));
  if (status !== 200) throw new Error(`cannot list the ZipJobs of ${namespace}: ${message}`);
  return (body as { items: ZipJob[] }).items;
}

export async function deleteJobs(admin: KubeUser, namespace: string): Promise<void> {
  const { status, message } = await admin.request('DELETE', pathOf(namespace));
  if (status !== 200) throw new Error(`cannot delete the ZipJobs of ${namespace}: ${message}`);
}
