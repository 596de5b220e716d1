import { randomBytes } from 'node:crypto';
import {
  bucketResourceName,
  bucketSecretName,
  GROUP_VERSION,
  PROJECT_NAME,
  WEBHOOK_SECRET_NAME,
  zipJobName,
} from '#crds/api-group.ts';
import { generateToken, hashToken, maskToken } from '#crds/api-token.ts';
import { findCondition } from '#crds/conditions.ts';
import { hasActivePod, isFinished, type ZipJob } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { Permission } from '#crds/zip-token.ts';
import type { Manifest, NodelessCluster } from '#tools/local-cluster/cluster-types.ts';
import { type BucketReader, createBucketReader } from '../clients/bucket-reader.ts';
import { until } from '../until.ts';

export interface ProjectOptions {
  readonly namespace: string;
  readonly webhookUrl?: string;
  readonly jobDefaults?: ZipProject['spec']['jobDefaults'];
  readonly limits?: ZipProject['spec']['limits'];
}

/** A project: its namespace, one bucket in the local store, one token with every permission. */
export interface Project extends Disposable {
  readonly namespace: string;
  readonly token: string;
  readonly bucketName: string;
  readonly bucket: BucketReader;
  /** `whsec_...`, as the receiver knows it. */
  readonly webhookSecret: string;
  addToken(permissions: readonly Permission[]): Promise<string>;
  /** The current ZipJob with this UUID. */
  zipJob(uuid: string): Promise<ZipJob>;
  /** Waits until the ZipJob with this UUID is in one of these phases, and, if that is final, its pod is gone. */
  untilPhase(uuid: string, phases: readonly string[], limitMs?: number): Promise<ZipJob>;
}

function secret(namespace: string, name: string, stringData: Readonly<Record<string, string>>) {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name },
    stringData,
  };
}

function tokenObject(namespace: string, token: string, permissions: readonly Permission[]) {
  return {
    apiVersion: GROUP_VERSION,
    kind: 'ZipToken',
    metadata: { namespace, name: `token-${randomBytes(4).toString('hex')}` },
    spec: { sha256: hashToken(namespace, token), masked: maskToken(token), permissions },
  };
}

function manifests(
  cluster: NodelessCluster,
  options: ProjectOptions,
  project: Pick<Project, 'bucketName' | 'token' | 'webhookSecret'>,
) {
  const { namespace, webhookUrl, jobDefaults, limits } = options;
  const { store } = cluster;
  const bucketResource = bucketResourceName('s3', project.bucketName);
  return [
    {
      apiVersion: GROUP_VERSION,
      kind: 'ZipProject',
      metadata: { namespace, name: PROJECT_NAME },
      spec: {
        ...(webhookUrl === undefined ? {} : { webhook: { url: webhookUrl } }),
        ...(jobDefaults ? { jobDefaults } : {}),
        ...(limits ? { limits } : {}),
      },
    },
    {
      apiVersion: GROUP_VERSION,
      kind: 'ZipBucket',
      metadata: { namespace, name: bucketResource },
      spec: { service: 's3', bucketName: project.bucketName, region: store.region, endpoint: store.endpoint },
    },
    secret(namespace, bucketSecretName(bucketResource), {
      accessKeyId: store.accessKeyId,
      secretAccessKey: store.secretAccessKey,
    }),
    secret(namespace, WEBHOOK_SECRET_NAME, { current: project.webhookSecret }),
    tokenObject(namespace, project.token, ['create', 'read']),
  ];
}

export function applyObjects(cluster: NodelessCluster, objects: readonly Manifest[]): Promise<void> {
  return cluster.apply(objects);
}

/**
 * Creates the namespace (Pod Security: restricted), bucket, credentials, webhook secret and a token, and
 * waits until it is Ready.
 */
export async function createProject(cluster: NodelessCluster, options: ProjectOptions): Promise<Project> {
  const { namespace } = options;
  const token = generateToken();
  const bucketName = `${namespace}-archives`;
  const webhookSecret = `whsec_${randomBytes(32).toString('base64')}`;
  await cluster.apply([
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    },
  ]);
  await cluster.createBucket(bucketName);
  await cluster.apply(manifests(cluster, options, { bucketName, token, webhookSecret }));
  const path = `/apis/${GROUP_VERSION}/namespaces/${namespace}/zipprojects/${PROJECT_NAME}`;
  await until(
    `the project ${namespace} to be Ready`,
    async () => {
      const { status } = await cluster.read<ZipProject>(path);
      return findCondition(status?.conditions, 'Ready')?.status === 'True';
    },
    { limitMs: 90_000, intervalMs: 50 },
  );
  const bucket = createBucketReader(cluster.store, bucketName);
  function zipJob(uuid: string): Promise<ZipJob> {
    return cluster.read(`/apis/${GROUP_VERSION}/namespaces/${namespace}/zipjobs/${zipJobName(uuid)}`);
  }
  return {
    namespace,
    token,
    bucketName,
    bucket,
    webhookSecret,
    zipJob,
    addToken: async (permissions) => {
      const added = generateToken();
      await cluster.apply([tokenObject(namespace, added, permissions)]);
      return added;
    },
    untilPhase: async (uuid, phases, limitMs = 100_000) => {
      async function ask(): Promise<ZipJob | false> {
        const job = await zipJob(uuid);
        const isPending = isFinished(job) && hasActivePod(job);
        return phases.includes(job.status?.phase ?? '') && !isPending && job;
      }
      try {
        return await until(`job ${uuid} to be ${phases.join(' or ')}`, ask, { limitMs, intervalMs: 100 });
      } catch (error) {
        const story = await cluster.kubectl(['describe', '-n', namespace, 'zipjob', `zip-${uuid}`]);
        throw new Error(`job ${uuid} is not ${phases.join(' or ')} after ${limitMs} ms:\n${story.stdout}`, {
          cause: error,
        });
      }
    },
    [Symbol.dispose]: () => bucket[Symbol.dispose](),
  };
}
