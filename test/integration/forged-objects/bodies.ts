/** The fields that a kind requires besides its metadata. */
import { PROJECT_NAME, ZIPPER_CONTAINER, ZIPPER_SERVICE_ACCOUNT } from '#crds/api-group.ts';
import { type ApiResource, pathOf } from '#test/permissions/api-resources.ts';
import type { Manifest } from '#tools/local-cluster/cluster-types.ts';
import type { Disguise } from './disguise.ts';
import { kindName } from './kinds.ts';

type Body = Readonly<Record<string, unknown>>;

/** A pod of the Pod Security Standard `restricted`, which no node runs. */
function podSpec(isZipper: boolean): Body {
  return {
    nodeSelector: { 'forged-objects': 'nowhere' },
    restartPolicy: 'Never',
    ...(isZipper && { serviceAccountName: ZIPPER_SERVICE_ACCOUNT }),
    securityContext: { runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      {
        name: ZIPPER_CONTAINER,
        image: 'zipper',
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
      },
    ],
  };
}

const SELECTOR = { forged: 'yes' };

function templateOf({ metadata, isZipper }: Disguise, spec: Body = {}): Body {
  return {
    metadata: { ...metadata, labels: { ...(metadata['labels'] as Body), ...SELECTOR } },
    spec: { ...podSpec(isZipper), ...spec },
  };
}

function ofReplicas(pod: Disguise, more: Body = {}): Body {
  return {
    spec: {
      replicas: 0,
      selector: { matchLabels: SELECTOR },
      template: templateOf(pod, { restartPolicy: 'Always' }),
      ...more,
    },
  };
}

const REFERENCE = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'forged' };

/** Suspended, so that it takes no time of the Job controller. */
function jobSpec(pod: Disguise): Body {
  return { suspend: true, template: templateOf(pod) };
}

/** The label by which the Job controller finds the pods of a Job. */
const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';

/** Selects the pods of the Job that it imitates. */
function selectorOf({ metadata }: Disguise): Body {
  const { [CONTROLLER_UID]: uid } = metadata['labels'] as Readonly<Record<string, string>>;
  return uid === undefined
    ? {}
    : { manualSelector: true, selector: { matchLabels: { [CONTROLLER_UID]: uid } } };
}

/** The Job controller sets these labels itself. */
function withoutSelector(pod: Disguise): Disguise {
  const labels = Object.entries(pod.metadata['labels'] as Body).filter(
    ([name]) => !/^(batch\.kubernetes\.io\/|controller-uid$|job-name$)/.test(name),
  );
  return { ...pod, metadata: { ...pod.metadata, labels: Object.fromEntries(labels) } };
}

/** By resource. A kind without an entry has no required fields, or the API server says what to add here. */
const BODIES: Readonly<Record<string, (pod: Disguise, namespace: string) => Body>> = {
  pods: ({ isZipper }) => ({ spec: podSpec(isZipper) }),
  podtemplates: (pod) => ({ template: templateOf(pod) }),
  replicationcontrollers: (pod) => ({
    spec: { replicas: 0, selector: SELECTOR, template: templateOf(pod, { restartPolicy: 'Always' }) },
  }),
  services: () => ({ spec: { ports: [{ port: 80 }] } }),
  persistentvolumeclaims: () => ({
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Ki' } } },
  }),
  events: (_pod, namespace) => ({
    involvedObject: { apiVersion: 'v1', kind: 'Pod', name: 'forged', namespace },
    source: { component: 'kubelet' },
    reason: 'Forged',
    message: 'forged',
  }),
  // The same objects as those of the core group.
  'events.events.k8s.io': ({ metadata: { name } }, namespace) => ({
    metadata: { name: `${name}.event` },
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'kubelet',
    reportingInstance: 'node',
    regarding: { apiVersion: 'v1', kind: 'Pod', name: 'forged', namespace },
    type: 'Normal',
    action: 'Forging',
    reason: 'Forged',
  }),
  'deployments.apps': (pod) => ofReplicas(pod),
  'replicasets.apps': (pod) => ofReplicas(pod),
  'statefulsets.apps': (pod) => ofReplicas(pod, { serviceName: 'forged' }),
  'daemonsets.apps': (pod) => ({
    spec: { selector: { matchLabels: SELECTOR }, template: templateOf(pod, { restartPolicy: 'Always' }) },
  }),
  'controllerrevisions.apps': () => ({ revision: 1 }),
  'jobs.batch': (pod) => ({ spec: { ...jobSpec(pod), ...selectorOf(pod) } }),
  'cronjobs.batch': (pod) => ({
    spec: { schedule: '0 0 1 1 *', suspend: true, jobTemplate: { spec: jobSpec(withoutSelector(pod)) } },
  }),
  'horizontalpodautoscalers.autoscaling': () => ({ spec: { maxReplicas: 1, scaleTargetRef: REFERENCE } }),
  'ingresses.networking.k8s.io': () => ({
    spec: { defaultBackend: { service: { name: 'forged', port: { number: 80 } } } },
  }),
  'networkpolicies.networking.k8s.io': () => ({ spec: { podSelector: {} } }),
  'poddisruptionbudgets.policy': () => ({ spec: { minAvailable: 1, selector: {} } }),
  'rolebindings.rbac.authorization.k8s.io': () => ({
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
  }),
  'endpointslices.discovery.k8s.io': () => ({ addressType: 'IPv4', endpoints: [] }),
  // Held back by its author: a Job in its name must not take a slot.
  'zipjobs.zipjobs.dev': ({ ownBucket }) => ({
    spec: {
      suspend: true,
      bucketRef: { name: ownBucket },
      key: 'forged.zip',
      files: [{ url: 'https://example.com/a', filename: 'a' }],
    },
  }),
  // Its name is that of its bucket.
  'zipbuckets.zipjobs.dev': ({ metadata: { name } }) => ({
    metadata: { name: `s3-${name}` },
    spec: { service: 's3', bucketName: name, region: 'us-east-1' },
  }),
  // Only one name is valid.
  'zipprojects.zipjobs.dev': () => ({ metadata: { name: PROJECT_NAME }, spec: {} }),
  'ziptokens.zipjobs.dev': () => ({
    spec: { sha256: '0'.repeat(64), masked: 'aaaa...aaaa', permissions: ['read'] },
  }),
};

/** The whole object. */
export function manifestOf(kind: ApiResource, disguise: Disguise, namespace: string): Manifest {
  const { metadata = {}, ...body } = BODIES[kindName(kind)]?.(disguise, namespace) ?? {};
  return {
    apiVersion: pathOf(kind).replace(/^\/apis?\//, ''),
    kind: kind.kind,
    metadata: { ...disguise.metadata, ...(metadata as Body) },
    ...body,
  };
}
