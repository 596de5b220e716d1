/** Faults of an installation that `zipjobs doctor` must find. */
import { bucketSecretName, GROUP_VERSION } from '#crds/api-group.ts';
import type { Level } from '#runtime/doctor/finding.ts';
import { RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { until } from '#test/support/until.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';

export interface FaultyWorld {
  readonly cluster: Cluster;
  /** Of a project. */
  readonly namespace: string;
  /** Name for a namespace whose project is not ready. */
  readonly unready: string;
  /** A ZipBucket of the project. */
  readonly bucket: string;
}

export interface ExpectedResult {
  readonly title: string;
  readonly check: string;
  readonly level: Level;
  /** In the message. */
  readonly says: RegExp;
  readonly remedy: RegExp;
}

export interface DoctorFault extends ExpectedResult {
  /** Resolves to what removes it, unless a new installation of the chart does. */
  readonly plant: (world: FaultyWorld) => Promise<(() => Promise<void>) | undefined>;
}

type Kubectl = (...args: readonly string[]) => Promise<string>;

function kubectlOf({ cluster }: Pick<FaultyWorld, 'cluster'>): Kubectl {
  return async (...args) => (await cluster.kubectl(args)).stdout;
}

/** A fault that a kubectl command plants in the release. */
function byKubectl(...args: readonly string[]): DoctorFault['plant'] {
  return async (world) => {
    await kubectlOf(world)(...args);
    return undefined;
  };
}

function patch(target: readonly string[], operations: readonly object[]): DoctorFault['plant'] {
  return byKubectl('patch', ...target, '--type=json', '-p', JSON.stringify(operations));
}

const RESTORE = /^Restore it.*: helm get manifest zipjobs -n zipjobs-system \| kubectl apply --server-side /;
const IN_RELEASE = ['-n', RELEASE_NAMESPACE] as const;

const RELEASE_FAULTS: readonly DoctorFault[] = [
  {
    title: 'a deleted binding of a policy',
    check: 'policies',
    level: 'failure',
    says: /^ValidatingAdmissionPolicyBinding zipjobs-bucket-identities does not exist, so the API server may accept/,
    remedy: RESTORE,
    plant: byKubectl('delete', 'validatingadmissionpolicybinding', 'zipjobs-bucket-identities'),
  },
  {
    title: 'a policy that is not in force',
    check: 'enforcement',
    level: 'failure',
    says: /^The API server accepts a zipbuckets.zipjobs.dev object that ValidatingAdmissionPolicy zipjobs-bucket-identities must refuse/,
    remedy: /kubectl get validatingadmissionpolicies/,
    plant: () => Promise.resolve(undefined),
  },
  {
    title: 'a weakened policy',
    check: 'policies',
    level: 'failure',
    says: /^ValidatingAdmissionPolicy zipjobs-project-classes differs from the one of the release/,
    remedy: RESTORE,
    plant: patch(
      ['validatingadmissionpolicy', 'zipjobs-project-classes'],
      [{ op: 'replace', path: '/spec/validations/0/expression', value: 'true' }],
    ),
  },
  {
    title: 'a binding that only warns',
    check: 'policies',
    level: 'failure',
    says: /^ValidatingAdmissionPolicyBinding zipjobs-zipper-exec differs/,
    remedy: RESTORE,
    plant: patch(
      ['validatingadmissionpolicybinding', 'zipjobs-zipper-exec'],
      [{ op: 'replace', path: '/spec/validationActions', value: ['Warn'] }],
    ),
  },
  {
    title: 'a definition that is not served',
    check: 'definitions',
    level: 'failure',
    says: /^CustomResourceDefinition zipcheckpoints.zipjobs.dev does not serve version v1alpha1/,
    remedy: RESTORE,
    plant: patch(
      ['customresourcedefinition', 'zipcheckpoints.zipjobs.dev'],
      [{ op: 'replace', path: '/spec/versions/0/served', value: false }],
    ),
  },
  {
    title: 'a changed definition',
    check: 'definitions',
    level: 'failure',
    says: /^CustomResourceDefinition ziptokens.zipjobs.dev differs from the one of the release/,
    remedy: RESTORE,
    plant: patch(
      ['customresourcedefinition', 'ziptokens.zipjobs.dev'],
      [{ op: 'remove', path: '/spec/versions/0/additionalPrinterColumns' }],
    ),
  },
  {
    title: 'a missing role',
    check: 'rights',
    level: 'failure',
    says: /^ClusterRole zipjobs-admin does not exist, so a process may lack a permission/,
    remedy: RESTORE,
    plant: byKubectl('delete', 'clusterrole', 'zipjobs-admin'),
  },
  {
    title: 'a missing binding of a role',
    check: 'rights',
    level: 'failure',
    says: /^RoleBinding zipjobs-api-server-address in namespace default does not exist/,
    remedy: RESTORE,
    plant: byKubectl('delete', 'rolebinding', '-n', 'default', 'zipjobs-api-server-address'),
  },
  {
    title: 'a role with more permissions',
    check: 'rights',
    level: 'failure',
    says: /^ClusterRole zipjobs-dashboard differs from the one of the release/,
    remedy: RESTORE,
    plant: patch(
      ['clusterrole', 'zipjobs-dashboard'],
      [{ op: 'add', path: '/rules/-', value: { apiGroups: [''], resources: ['secrets'], verbs: ['get'] } }],
    ),
  },
  {
    title: 'another version',
    check: 'versions',
    level: 'warning',
    says: /^Deployment zipjobs-dashboard has version 0.0.1, and the release/,
    remedy: /helm upgrade zipjobs/,
    plant: byKubectl(
      'label',
      'deployment',
      ...IN_RELEASE,
      'zipjobs-dashboard',
      '--overwrite',
      'app.kubernetes.io/version=0.0.1',
    ),
  },
  {
    title: 'an image that cannot be pulled',
    check: 'images',
    level: 'failure',
    says: /its image localhost\/zipjobs-nothing:9 cannot be pulled/,
    remedy: /Check the image name, the registry and image.pullSecrets: kubectl describe pod/,
    plant: byKubectl(
      'set',
      'image',
      'deployment',
      ...IN_RELEASE,
      'zipjobs-api',
      'api=localhost/zipjobs-nothing:9',
    ),
  },
];

async function plantUnready({ cluster, unready }: FaultyWorld) {
  await cluster.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: unready } },
    {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { namespace: unready, name: 'none' },
      spec: { hard: { 'count/serviceaccounts': '0' } },
    },
    {
      apiVersion: GROUP_VERSION,
      kind: 'ZipProject',
      metadata: { namespace: unready, name: 'project' },
      spec: {},
    },
  ]);
  return async () => {
    await cluster.kubectl(['delete', 'zipproject', '-n', unready, 'project']);
    await cluster.kubectl(['delete', 'namespace', unready]);
  };
}

function aZipJob({ namespace, bucket }: FaultyWorld, name: string, spec: object) {
  return {
    apiVersion: GROUP_VERSION,
    kind: 'ZipJob',
    metadata: { namespace, name },
    spec: {
      bucketRef: { name: bucket },
      key: `${name}.zip`,
      files: [{ url: 'https://example.com/a', filename: 'a' }],
      ...spec,
    },
  };
}

/** It asks for more than any node has. */
async function plantStuckJob(world: FaultyWorld) {
  await world.cluster.apply([
    aZipJob(world, 'stuck', { resources: { requests: { cpu: '900' }, limits: { cpu: '900' } } }),
  ]);
  return async () => {
    await world.cluster.kubectl(['delete', 'zipjob', '-n', world.namespace, 'stuck']);
  };
}

/** Nothing listens at its URL, so the webhook of a job that failed an hour ago is still pending. */
async function plantLateWebhook(world: FaultyWorld) {
  const kubectl = kubectlOf(world);
  const webhook = { url: 'http://127.0.0.1:9/', events: ['FAILED'] };
  await world.cluster.apply([aZipJob(world, 'late', { bucketRef: { name: 's3-none' }, webhook })]);
  await until('the job to fail', async () => {
    const state = await kubectl(
      'get',
      'zipjob',
      '-n',
      world.namespace,
      'late',
      '-o',
      'jsonpath={.status.webhook.state}',
    );
    return state === 'Pending';
  });
  const finishedAt = `${new Date(Date.now() - 3_600_000).toISOString().slice(0, 19)}Z`;
  await kubectl(
    'patch',
    'zipjob',
    '-n',
    world.namespace,
    'late',
    '--subresource=status',
    '--type=merge',
    '-p',
    JSON.stringify({ status: { finishedAt } }),
  );
  return async () => {
    await kubectl('delete', 'zipjob', '-n', world.namespace, 'late');
  };
}

async function plantBadCredentials(world: FaultyWorld) {
  const { cluster, namespace, bucket } = world;
  await cluster.apply([
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name: bucketSecretName(bucket) },
      stringData: { accessKeyId: 'wrong', secretAccessKey: 'wrong' },
    },
  ]);
  await cluster.kubectl([
    'annotate',
    '--overwrite',
    '-n',
    namespace,
    'zipbucket',
    bucket,
    'zipjobs.dev/test-bucket=doctor',
  ]);
  return undefined;
}

async function plantSkewedNode({ cluster }: FaultyWorld) {
  const renewTime = new Date(Date.now() + 600_000).toISOString().replace('Z', '000Z');
  const metadata = { namespace: 'kube-node-lease', name: 'doctor-skewed' };
  await cluster.apply([
    {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata,
      spec: { holderIdentity: 'doctor-skewed', leaseDurationSeconds: 40, renewTime },
    },
  ]);
  return async () => {
    await cluster.kubectl(['delete', 'lease', '-n', metadata.namespace, metadata.name]);
  };
}

/** As kubeadm runs it, without encryption. No node accepts this one. */
async function plantApiServer({ cluster }: FaultyWorld) {
  const metadata = { namespace: 'kube-system', name: 'kube-apiserver-doctor' };
  await cluster.apply([
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadata, labels: { component: 'kube-apiserver' } },
      spec: {
        nodeSelector: { doctor: 'nowhere' },
        containers: [
          { name: 'kube-apiserver', image: 'a', command: ['kube-apiserver', '--secure-port=6443'] },
        ],
      },
    },
  ]);
  return async () => {
    await cluster.kubectl(['delete', 'pod', '-n', metadata.namespace, metadata.name, '--wait=false']);
  };
}

const PROJECT_FAULTS: readonly DoctorFault[] = [
  {
    title: 'a project that is not ready',
    check: 'projects',
    level: 'warning',
    says: /^Project doctor-unready is not ready: ProjectIncomplete: /,
    remedy: /kubectl describe zipproject -n doctor-unready project/,
    plant: plantUnready,
  },
  {
    title: 'a stuck job',
    check: 'jobs',
    level: 'warning',
    says: /^1 job is stuck with the reason Unschedulable: doctor\/stuck: /,
    remedy: /zipjobs job show -n doctor stuck/,
    plant: plantStuckJob,
  },
  {
    title: 'a late webhook',
    check: 'webhooks',
    level: 'warning',
    says: /^1 webhook is late in project doctor, the oldest for (60|61)m: doctor\/late/,
    remedy: /zipjobs webhook show -n doctor/,
    plant: plantLateWebhook,
  },
  {
    title: 'a bucket with wrong credentials',
    check: 'buckets',
    level: 'warning',
    says: /^ZipBucket doctor\/s3-doctor-archives is not ready: BucketCredentialsInvalid: /,
    remedy: /zipjobs bucket test -n doctor doctor-archives --service s3/,
    plant: plantBadCredentials,
  },
  {
    title: 'a node with a wrong clock',
    check: 'clocks',
    level: 'warning',
    says: /^The clock of node doctor-skewed is (9|10)m ahead of that of the API server/,
    remedy: /time service/,
    plant: plantSkewedNode,
  },
  {
    title: 'Secrets without encryption',
    check: 'encryption',
    level: 'warning',
    says: /^Secrets are stored unencrypted: kube-apiserver-doctor/,
    remedy: /encrypt-data/,
    plant: plantApiServer,
  },
  {
    title: 'paused jobs',
    check: 'paused',
    level: 'warning',
    says: /^All jobs are paused: the store is moving$/,
    remedy: /kubectl annotate lease -n zipjobs-system zipjobs-controller zipjobs.dev\/paused-$/,
    plant: async (world) => {
      const lease = ['annotate', 'lease', ...IN_RELEASE, 'zipjobs-controller'];
      await world.cluster.kubectl([...lease, 'zipjobs.dev/paused=the store is moving']);
      return async () => {
        await world.cluster.kubectl([...lease, 'zipjobs.dev/paused-']);
      };
    },
  },
];

/** The projects first, because the controller needs its rights for them. */
export const DOCTOR_FAULTS: readonly DoctorFault[] = [...PROJECT_FAULTS, ...RELEASE_FAULTS];

const SEE_PODS = /kubectl get pods -n zipjobs-system -l app.kubernetes.io\/component=controller/;

/** Planted one after another, because each replaces the one before. A new installation of the chart removes them. */
export function leaderFaults(world: FaultyWorld): readonly (ExpectedResult & { plant(): Promise<void> })[] {
  const kubectl = kubectlOf(world);
  return [
    {
      title: 'no controller',
      check: 'components',
      level: 'failure',
      says: /^Deployment zipjobs-controller is scaled to 0 replicas/,
      remedy: /kubectl scale deployment -n zipjobs-system zipjobs-controller --replicas=1/,
      plant: async () => {
        await kubectl('scale', 'deployment', ...IN_RELEASE, 'zipjobs-controller', '--replicas=0');
      },
    },
    {
      title: 'no leader',
      check: 'leader',
      level: 'failure',
      says: /^No controller leads: Lease zipjobs-controller in namespace zipjobs-system has no holder/,
      remedy: SEE_PODS,
      plant: () => Promise.resolve(),
    },
    {
      title: 'a stale Lease',
      check: 'leader',
      level: 'failure',
      says: /^No controller leads: gone has not renewed Lease zipjobs-controller in namespace zipjobs-system for/,
      remedy: SEE_PODS,
      plant: async () => {
        const spec = {
          holderIdentity: 'gone_1',
          leaseDurationSeconds: 1,
          renewTime: '2026-01-01T00:00:00.000000Z',
        };
        await kubectl(
          'patch',
          'lease',
          ...IN_RELEASE,
          'zipjobs-controller',
          '--type=merge',
          '-p',
          JSON.stringify({ spec }),
        );
      },
    },
    {
      title: 'no record of the release',
      check: 'rights',
      level: 'warning',
      says: /^ConfigMap zipjobs-release does not exist in namespace zipjobs-system/,
      remedy: /helm upgrade zipjobs/,
      plant: async () => {
        await kubectl('delete', 'configmap', ...IN_RELEASE, 'zipjobs-release');
      },
    },
  ];
}
