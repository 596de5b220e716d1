import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { ControllerConfig } from '#controller/config/config.ts';
import { archiveJob } from '#controller/zip-job/manifest/job-manifest.ts';
import { GROUP_VERSION, PLURALS, ZIPPER_SERVICE_ACCOUNT } from '#crds/api-group.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { type KubeResponse, type KubeUser, signIn } from '#test/support/clients/kube-user.ts';
import { bindPod, mountedToken } from '#test/support/clients/pod-tokens.ts';
import { RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { until } from '#test/support/until.ts';
import { untilAllowed } from '#test/support/until-allowed.ts';
import { startCluster } from '#tools/local-cluster/cluster.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { installedConfig, installWithoutPods } from './release.ts';

export const OWN = 'red';
export const OTHER = 'blue';
const NODE = 'policy-node';
const BUCKET = 's3-archives';

export function jobsPath(namespace: string): string {
  return `/apis/batch/v1/namespaces/${namespace}/jobs`;
}

export function corePath(namespace: string, plural: string): string {
  return `/api/v1/namespaces/${namespace}/${plural}`;
}

export function zipPath(namespace: string, plural = 'zipjobs'): string {
  return `/apis/${GROUP_VERSION}/namespaces/${namespace}/${plural}`;
}

/** Creates a zipper pod like the Job controller, on a node, with the token that its kubelet would mount. */
export interface ZipperPod {
  readonly zipJob: string;
  readonly name: string;
  readonly uid: string;
  readonly token: string;
  readonly zipper: KubeUser;
}

/** A cluster with the chart's roles and policies, and one client per role. */
export interface World extends AsyncDisposable {
  readonly cluster: Cluster;
  /** The settings of the installed controller. */
  readonly config: ControllerConfig;
  readonly admin: KubeUser;
  /** A user with the role `edit` in OWN. */
  readonly editor: KubeUser;
  readonly controller: KubeUser;
  readonly api: KubeUser;
  readonly dashboard: KubeUser;
  /** Upgrades the release with these values. Run it last: other tests expect those of the installation. */
  upgrade(values: Readonly<Record<string, unknown>>): Promise<void>;
  /** The manifest that our controller creates for an existing ZipJob. */
  jobOf(zipJob: ZipJob): Record<string, unknown>;
  createZipJob(namespace: string, spec?: Partial<ZipJob['spec']>): Promise<ZipJob>;
  createZipper(namespace: string): Promise<ZipperPod>;
  uidOf(namespace: string, zipJob: string): Promise<string>;
  /** Writes a ZipJob's status like the controller, by merge patch. */
  setStatus(namespace: string, name: string, status: Record<string, unknown>): Promise<void>;
}

export function accept(response: KubeResponse): KubeResponse {
  if (response.status >= 300) throw new Error(`status ${response.status}: ${response.message}`);
  return response;
}

export function expectRefusal(response: KubeResponse, message: string): void {
  expect(response.message).to.contain(message);
  expect(response.status).to.be.oneOf([403, 422]);
}

export function tokenSecret(name: string, account: string) {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/service-account-token',
    metadata: { name, annotations: { 'kubernetes.io/service-account.name': account } },
  };
}

function uidOf(response: KubeResponse): string {
  return (response.body['metadata'] as { uid: string }).uid;
}

export const ZIP_BUCKET: ZipBucket = {
  apiVersion: GROUP_VERSION,
  kind: 'ZipBucket',
  metadata: { name: BUCKET, namespace: OWN },
  spec: { service: 's3', bucketName: 'archives', region: 'us-east-1' },
};

/** Our processes do not run here, so that only the test changes a ZipJob. */
export async function createWorld(): Promise<World> {
  const life = new AsyncDisposableStack();
  // As in most clusters, so that only our policies refuse privileged pods.
  const cluster = life.use(await startCluster({ apiServerFlags: ['--allow-privileged=true'] }));
  await installWithoutPods(cluster);
  const config = await installedConfig(cluster);
  const jobOf: World['jobOf'] = (zipJob) => ({ ...archiveJob(zipJob, ZIP_BUCKET, config) });
  const admin = life.use(await signIn(cluster));
  async function tokenOf(account: string): Promise<{ token: string }> {
    return {
      token: (await cluster.kubectl(['create', 'token', account, '-n', RELEASE_NAMESPACE])).stdout.trim(),
    };
  }
  const controller = life.use(await signIn(cluster, await tokenOf('zipjobs-controller')));
  const api = life.use(await signIn(cluster, await tokenOf('zipjobs-api')));
  const dashboard = life.use(await signIn(cluster, await tokenOf('zipjobs-dashboard')));
  const editor = life.use(await signIn(cluster, { commonName: 'erin' }));
  const node = life.use(
    await signIn(cluster, { commonName: `system:node:${NODE}`, organizations: ['system:nodes'] }),
  );

  await prepare(cluster, controller);
  await untilInForce(admin);

  const createZipJob = zipJobCreator(admin);
  const createZipper: World['createZipper'] = async (namespace) => {
    const zipJob = await createZipJob(namespace);
    const job = accept(await controller.request('POST', jobsPath(namespace), { body: jobOf(zipJob) }));
    const query = `labelSelector=batch.kubernetes.io/controller-uid%3D${uidOf(job)}`;
    const pod = await until('the pod of a Job', async () => {
      const list = accept(await admin.request('GET', `${corePath(namespace, 'pods')}?${query}`));
      return (list.body['items'] as { metadata: { name: string; uid: string } }[])[0]?.metadata;
    });
    await bindPod(admin, { namespace, name: pod.name }, NODE);
    const token = await mountedToken(node, { namespace, name: pod.name, uid: pod.uid });
    const zipper = life.use(await signIn(cluster, { token }));
    return { zipJob: zipJob.metadata.name, name: pod.name, uid: pod.uid, token, zipper };
  };
  return {
    cluster,
    config,
    admin,
    editor,
    controller,
    api,
    dashboard,
    upgrade: async (values) => {
      const flags = Object.entries(values).map(
        ([name, value]) => `--set-json=${name}=${JSON.stringify(value)}`,
      );
      await installWithoutPods(cluster, ...flags);
    },
    jobOf,
    createZipJob,
    createZipper,
    uidOf: async (namespace, zipJob) =>
      uidOf(accept(await admin.request('GET', `${zipPath(namespace)}/${zipJob}`))),
    setStatus: async (namespace, name, status) => {
      accept(await admin.request('PATCH', `${zipPath(namespace)}/${name}/status`, { body: { status } }));
    },
    [Symbol.asyncDispose]: () => life.disposeAsync(),
  };
}

function zipJobCreator(admin: KubeUser): World['createZipJob'] {
  return async (namespace, spec = {}) => {
    const name = `job-${randomBytes(4).toString('hex')}`;
    const files = [{ url: 'https://example.com/a', filename: 'a' }];
    const made = await admin.request('POST', zipPath(namespace), {
      body: {
        apiVersion: GROUP_VERSION,
        kind: 'ZipJob',
        metadata: { name },
        spec: { bucketRef: { name: BUCKET }, key: 'a.zip', ...(spec.filesFrom ? {} : { files }), ...spec },
      },
    });
    return accept(made).body as unknown as ZipJob;
  };
}

async function prepare(cluster: Cluster, controller: KubeUser): Promise<void> {
  await cluster.kubectl(['create', '-f', '-'], {
    input: JSON.stringify({
      apiVersion: 'v1',
      kind: 'List',
      items: [
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: OWN } },
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: OTHER } },
        { apiVersion: 'v1', kind: 'Node', metadata: { name: NODE } },
      ],
    }),
  });
  await cluster.kubectl(['create', 'rolebinding', 'erin', '--clusterrole=edit', '--user=erin', '-n', OWN]);
  // Kubernetes aggregates the chart's rules into the role asynchronously.
  const right = { user: 'erin', verb: 'patch', resource: 'zipjobs.zipjobs.dev', namespace: OWN };
  await untilAllowed(cluster, right);
  for (const namespace of [OWN, OTHER])
    await until('the permissions of the controller to take effect', () =>
      giveZipperItsRole(controller, namespace),
    );
}

/** The API server takes a moment to apply new policies and to serve new kinds. */
async function untilInForce(admin: KubeUser): Promise<void> {
  const spec = { serviceAccountName: ZIPPER_SERVICE_ACCOUNT, containers: [{ name: 'a', image: 'a' }] };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'probe' }, spec };
  const token = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const account = `${corePath(OWN, 'serviceaccounts')}/${ZIPPER_SERVICE_ACCOUNT}/token`;
  const secret = tokenSecret('probe', ZIPPER_SERVICE_ACCOUNT);
  for (const [path, body] of [
    [corePath(OWN, 'pods'), pod],
    [account, token],
    [corePath(OWN, 'secrets'), secret],
  ] as const)
    await until(`the policy about ${path} to be in force`, async () => {
      const response = await admin.request('POST', `${path}?dryRun=All`, { body });
      return response.message.includes('ValidatingAdmissionPolicy');
    });
  for (const plural of Object.values(PLURALS))
    await until(`${plural} to be served`, async () =>
      accept(await admin.request('GET', zipPath(OWN, plural))),
    );
}

/** Like the controller for each project. */
async function giveZipperItsRole(controller: KubeUser, namespace: string): Promise<KubeResponse> {
  const metadata = { name: ZIPPER_SERVICE_ACCOUNT, namespace };
  const query = 'fieldManager=zipjobs-controller&force=true';
  const account = `${corePath(namespace, 'serviceaccounts')}/${ZIPPER_SERVICE_ACCOUNT}?${query}`;
  accept(
    await controller.request('PATCH', account, {
      patch: 'apply',
      body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata, automountServiceAccountToken: false },
    }),
  );
  return accept(await applyZipperBinding(controller, namespace, ZIPPER_SERVICE_ACCOUNT));
}

export function applyZipperBinding(
  user: KubeUser,
  namespace: string,
  clusterRole: string,
): Promise<KubeResponse> {
  return user.request(
    'PATCH',
    `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings/${ZIPPER_SERVICE_ACCOUNT}?fieldManager=zipjobs-controller&force=true`,
    {
      patch: 'apply',
      body: {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: ZIPPER_SERVICE_ACCOUNT, namespace },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: clusterRole },
        subjects: [{ kind: 'ServiceAccount', name: ZIPPER_SERVICE_ACCOUNT, namespace }],
      },
    },
  );
}
