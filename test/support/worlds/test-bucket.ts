import { randomUUID } from 'node:crypto';
import { ANNOTATIONS, GROUP_VERSION } from '#crds/api-group.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { NodelessCluster } from '#tools/local-cluster/cluster-types.ts';
import { until } from '../until.ts';

/** Requests a test of a ZipBucket, and returns the bucket with the result. */
export async function testBucket(
  cluster: NodelessCluster,
  namespace: string,
  name: string,
): Promise<ZipBucket> {
  const nonce = randomUUID();
  const annotation = `${ANNOTATIONS.testBucket}=${nonce}`;
  await cluster.kubectl(['annotate', '--overwrite', '-n', namespace, 'zipbucket', name, annotation]);
  const path = `/apis/${GROUP_VERSION}/namespaces/${namespace}/zipbuckets/${name}`;
  return until(
    `the result of the test of ${name}`,
    async () => {
      const bucket = await cluster.read<ZipBucket>(path);
      return bucket.status?.test?.nonce === nonce && bucket;
    },
    { limitMs: 120_000, intervalMs: 100 },
  );
}
