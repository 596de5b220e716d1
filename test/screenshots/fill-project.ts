import { bucketResourceName, bucketSecretName, GROUP_VERSION, PROJECT_NAME } from '#crds/api-group.ts';
import { generateToken, hashToken, maskToken } from '#crds/api-token.ts';
import { postJob } from '#test/support/clients/api-client.ts';
import { signIn } from '#test/support/clients/kube-user.ts';
import type { Flow } from '#test/support/worlds/flow.ts';
import { applyObjects } from '#test/support/worlds/project.ts';
import type { Manifest } from '#tools/local-cluster/cluster-types.ts';
import { putPastJobs } from './past-jobs.ts';

const MIB = 1_048_576;

/** Jobs with their own screenshot, by UUID. */
export interface ShownJobs {
  readonly running: string;
  readonly succeeded: string;
  readonly failed: string;
}

function bucket(namespace: string, spec: Readonly<Record<string, string>>) {
  const name = bucketResourceName(spec['service'] === 'r2' ? 'r2' : 's3', spec['bucketName'] ?? '');
  return [
    { apiVersion: GROUP_VERSION, kind: 'ZipBucket', metadata: { namespace, name }, spec },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name: bucketSecretName(name) },
      stringData: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'of-nobody' },
    },
  ];
}

function token(namespace: string, displayName: string, permissions: readonly string[]) {
  const value = generateToken();
  return {
    apiVersion: GROUP_VERSION,
    kind: 'ZipToken',
    metadata: { namespace, name: displayName.replaceAll(' ', '-') },
    spec: { displayName, sha256: hashToken(namespace, value), masked: maskToken(value), permissions },
  };
}

function objectsOf({ cluster: { store }, project: { namespace } }: Flow): readonly Manifest[] {
  return [
    ...bucket(namespace, {
      service: 'r2',
      bucketName: 'customer-downloads',
      accountId: '0123456789abcdef0123456789abcdef',
      host: '0123456789abcdef0123456789abcdef.r2.cloudflarestorage.com',
    }),
    ...bucket(namespace, {
      service: 's3',
      bucketName: 'press-kit',
      region: store.region,
      endpoint: store.endpoint,
    }),
    token(namespace, 'order service', ['create', 'read']),
    token(namespace, 'status page', ['read']),
  ];
}

function fileAt(flow: Flow, path: string, filename: string) {
  return { url: flow.origin.url(path), filename };
}

function photos(flow: Flow, count: number, path: (index: number) => string) {
  return Array.from({ length: count }, (_, index) => fileAt(flow, path(index), `photo-${index + 1}.jpg`));
}

/** Creates past jobs, more buckets and tokens, and jobs in every state. */
export async function fillProject(flow: Flow): Promise<ShownJobs> {
  const { cluster, project } = flow;
  const { namespace, bucketName } = project;
  await applyObjects(cluster, objectsOf(flow));
  const spec = { displayName: 'Photo orders' };
  const patch = JSON.stringify({ spec });
  await flow.kubectl('patch', 'zipproject', PROJECT_NAME, '--type=merge', '-p', patch);
  await using admin = await signIn(cluster);
  await putPastJobs(admin, { namespace, bucketName }, new Date());
  function post(key: string, urls: readonly unknown[]): Promise<string> {
    return postJob(flow.baseUrl, project.token, {
      bucket_name: bucketName,
      key,
      urls,
      metadata: { order: 48_455, customer: 'Ørsted & Töchter', express: true },
    });
  }
  const failing = photos(flow, 12, (index) => (index === 7 ? '/status/404' : `/gen/${MIB}/${index}`));
  const failed = await post('orders/2026/48448.zip', failing);
  const succeeded = await post(
    'orders/2026/48455.zip',
    photos(flow, 24, (index) => `/gen/${MIB}/${index}`),
  );
  await Promise.all([failed, succeeded].map((uuid) => project.untilPhase(uuid, ['Succeeded', 'Failed'])));
  // Some bytes immediately, the rest over minutes: longer than the screenshots take.
  const slow = photos(flow, 40, (index) =>
    index < 15 ? `/gen/${4 * MIB}/${index}` : `/drip/65536/100/${24 * MIB}/${index}`,
  );
  const running = await post('orders/2026/48462 Familie Groß.zip', slow);
  await project.untilPhase(running, ['Running']);
  return { running, succeeded, failed };
}
