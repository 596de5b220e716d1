/** ZipJobs that finished long ago, created without a zipper: for tests of the cost of many of them. */
import { randomUUID } from 'node:crypto';
import { bucketResourceName, GROUP_VERSION, PLURALS, zipJobName } from '#crds/api-group.ts';
import type { KubeApi } from '#tools/local-cluster/kube-api.ts';
import { inParallel } from '../in-parallel.ts';
import { until } from '../until.ts';

const JOB_BYTES = 2048;
const AT_ONCE = 32;

export interface StoredJobs {
  readonly namespace: string;
  readonly count: number;
  readonly bucketName: string;
}

function finishedStatus(name: string, now: string) {
  return {
    phase: 'Succeeded',
    reason: 'Succeeded',
    acceptedAt: now,
    startedAt: now,
    finishedAt: now,
    attemptsTotal: 1,
    job: { name, uid: '6f1c0f4e-0f0a-4f5e-9d53-0c9a3a0a1b2c' },
    result: {
      contractVersion: 1,
      bytes: 123_456,
      entries: 1,
      etag: '"0123456789abcdef0123456789abcdef-1"',
      retries: 0,
      peakMemory: 134_217_728,
      seconds: 1,
    },
    conditions: ['Accepted', 'JobCreated', 'Succeeded'].map((type) => ({
      type,
      status: 'True',
      reason: type,
      message: '',
      lastTransitionTime: now,
    })),
  };
}

function aStoredJob({ namespace, bucketName }: StoredJobs, uuid: string) {
  const name = zipJobName(uuid);
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  const job = {
    apiVersion: GROUP_VERSION,
    kind: 'ZipJob',
    metadata: { namespace, name },
    spec: {
      bucketRef: { name: bucketResourceName('s3', bucketName) },
      key: `archives/${uuid}.zip`,
      files: [{ url: `https://example.test/${uuid}`, filename: 'a' }],
      metadata: '',
      // Suspended, so that no controller starts it before it is finished.
      suspend: true,
    },
    status: finishedStatus(name, now),
  };
  const padding = 'x'.repeat(JOB_BYTES - JSON.stringify(job).length - 20);
  return { ...job, spec: { ...job.spec, metadata: JSON.stringify({ padding }) } };
}

/** Creates jobs of 2 KB with about 1,000 bytes of metadata each, and returns their UUIDs. */
export async function createStoredJobs(api: KubeApi, jobs: StoredJobs): Promise<readonly string[]> {
  const path = `/apis/${GROUP_VERSION}/namespaces/${jobs.namespace}/${PLURALS.ZipJob}`;
  const uuids = Array.from({ length: jobs.count }, () => randomUUID());
  await inParallel(jobs.count, AT_ONCE, async (index) => {
    const job = aStoredJob(jobs, uuids[index] ?? '');
    const own = `${path}/${job.metadata.name}`;
    let { metadata } = await api.create<{ metadata: unknown }>(path, job);
    // A running controller writes to it as well.
    await until(`${job.metadata.name} to have ended`, async () => {
      try {
        return await api.replace<object>(`${own}/status`, { ...job, metadata });
      } catch (error) {
        ({ metadata } = await api.get<{ metadata: unknown }>(own));
        throw error;
      }
    });
  });
  return uuids;
}
