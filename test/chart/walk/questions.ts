/** What every object of the chart and of the processes must have. */
import { expect } from 'chai';
import { POD_NAMES, type PodTemplate, podTemplateOf } from '../all-pods.ts';
import type { KubeObject, Values } from '../render.ts';

/** Who creates an object. */
export type Creator = 'chart' | 'api' | 'controller' | 'dashboard';

export interface Walked {
  readonly creator: Creator;
  readonly object: KubeObject;
}

export interface Question {
  readonly title: string;
  /** What an object must have, for the page. */
  readonly means: string;
  /** Kinds, or kinds and components, that it does not concern, with the reason. Every other object is asked. */
  readonly notConcerned: Readonly<Record<string, string>>;
  /** @throws AssertionError if the object does not have it */
  readonly check: (walked: Walked) => void;
}

const COMMON = { labels: { 'walk.example.com/team': 'a' }, annotations: { 'walk.example.com/cost': '7' } };
const SECRETS = [{ name: 'walk-registry' }];
const PRIORITY = 'walk-priority';

/** What an operator may want in every object. */
export const WALK_VALUES: Values = {
  commonLabels: COMMON.labels,
  commonAnnotations: COMMON.annotations,
  'image.pullSecrets': SECRETS,
  'zipper.podTemplate.spec.imagePullSecrets': SECRETS,
  ...Object.fromEntries(
    ['api', 'controller', 'dashboard', 'zipper'].map((name) => [
      `${name}.podTemplate.spec.priorityClassName`,
      PRIORITY,
    ]),
  ),
};

function each(kinds: string, reason: string): Readonly<Record<string, string>> {
  return Object.fromEntries(kinds.split(/\s+/).map((kind) => [kind.replace('/', ' '), reason]));
}

const WITHOUT_PODS = each(
  `ConfigMap CustomResourceDefinition ClusterRole ClusterRoleBinding Role RoleBinding ServiceAccount Secret Service Ingress
  HTTPRoute NetworkPolicy CiliumNetworkPolicy CiliumClusterwideNetworkPolicy HorizontalPodAutoscaler PodDisruptionBudget
  PriorityClass FlowSchema PriorityLevelConfiguration PodMonitor ServiceMonitor PrometheusRule ValidatingAdmissionPolicy
  ValidatingAdmissionPolicyBinding Event Lease Namespace ZipJob ZipProject ZipBucket ZipToken
  ZipCheckpoint`,
  'starts no pod',
);

const ZIPPERS = 'Job/archive Job/recover Job/check-bucket';

function templateOf({ object }: Walked): PodTemplate {
  const template = podTemplateOf(object);
  if (template === undefined)
    throw new Error('it has no pod template, and is not listed as an object without one');
  return template;
}

function ofPods(
  title: string,
  means: string,
  check: (template: PodTemplate, walked: Walked) => void,
): Question {
  return {
    title,
    means,
    notConcerned: WITHOUT_PODS,
    check: (walked) => check(templateOf(walked), walked),
  };
}

function checkMetadata(field: 'labels' | 'annotations') {
  return ({ object }: Walked): void => {
    expect(object.metadata[field]).to.include(COMMON[field]);
    const template = podTemplateOf(object);
    if (template) expect(template.metadata[field], 'of the pod').to.include(COMMON[field]);
  };
}

interface Port {
  readonly name?: string;
  readonly containerPort?: number;
  readonly hostPort?: number;
  readonly targetPort?: unknown;
  readonly appProtocol?: string;
}

function checkPolicy(spec: unknown): void {
  const { policyTypes, egress } = spec as {
    readonly policyTypes: unknown;
    readonly egress: readonly object[];
  };
  expect(policyTypes).to.deep.equal(['Ingress', 'Egress']);
  const dns = [53, 5353].flatMap((port) => ['UDP', 'TCP'].map((protocol) => ({ protocol, port })));
  expect(egress).to.deep.include({ ports: dns });
}

function checkPorts(walked: Walked): void {
  const { kind, spec } = walked.object;
  if (kind === 'NetworkPolicy') {
    checkPolicy(spec);
    return;
  }
  if (kind === 'Service') {
    for (const port of (spec as { readonly ports: readonly Port[] }).ports) {
      expect(port.targetPort).to.be.a('string');
      expect(port).to.include.keys('name', 'appProtocol');
    }
    return;
  }
  for (const { ports = [] } of templateOf(walked).spec.containers)
    for (const port of ports as readonly Port[]) {
      expect(port.name).to.be.a('string');
      expect(port.containerPort).to.be.above(1023);
      expect(port).not.to.have.property('hostPort');
    }
}

/** The profile `restricted` of the Pod Security Standards, and read-only images. */
function checkSecurity({ spec }: PodTemplate): void {
  expect(spec['securityContext']).to.deep.include({
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  });
  for (const { securityContext } of spec.containers)
    expect(securityContext).to.deep.include({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
}

/** Five files of 50 MiB, the largest defaults of managed clusters (containerLogMaxFiles, containerLogMaxSize). */
const ROTATED_LOG_MIB = 250;

function checkLog({ spec }: PodTemplate): void {
  for (const { resources } of spec.containers) {
    const { limits } = resources as { readonly limits: Readonly<Record<string, string>> };
    const [, mib] = /^(\d+)Mi$/.exec(limits['ephemeral-storage'] ?? '') ?? [];
    expect(Number(mib), 'limit of ephemeral-storage, in MiB').to.be.above(ROTATED_LOG_MIB);
  }
}

function checkInjection({ metadata }: PodTemplate): void {
  expect(metadata.labels).to.include({
    'sidecar.istio.io/inject': 'false',
    'kuma.io/sidecar-injection': 'disabled',
  });
  expect(metadata.annotations).to.include({
    'linkerd.io/inject': 'disabled',
    'consul.hashicorp.com/connect-inject': 'false',
  });
}

function checkPriority({ spec, metadata }: PodTemplate): void {
  const isRecovery = metadata.labels?.['app.kubernetes.io/component'] === 'recover';
  expect(spec['priorityClassName']).to.equal(isRecovery ? 'zipjobs-recovery-1000' : PRIORITY);
}

function checkOwner({ creator, object }: Walked): void {
  if (creator === 'chart') {
    expect(object.metadata.labels).to.include({ 'app.kubernetes.io/managed-by': 'Helm' });
    return;
  }
  const { ownerReferences: owners = [] } = object.metadata as {
    readonly ownerReferences?: readonly { readonly apiVersion: string }[];
  };
  expect(owners.map(({ apiVersion }) => apiVersion)).to.deep.equal(['zipjobs.dev/v1alpha1']);
}

export const QUESTIONS: readonly Question[] = [
  {
    title: 'labels',
    means: '`commonLabels`, in the pods too',
    notConcerned: {},
    check: checkMetadata('labels'),
  },
  {
    title: 'annotations',
    means: '`commonAnnotations`, in the pods too',
    notConcerned: {},
    check: checkMetadata('annotations'),
  },
  {
    title: 'owner',
    means: 'deleted with the release (Helm), or with the ZipJob, ZipBucket or ZipProject that owns it',
    notConcerned: {
      CustomResourceDefinition: 'stays, because its deletion would delete every object of its kind',
      Event: 'expires by itself',
      Lease: 'stays for the next leader, until the uninstall gives it an owner',
      ZipJob: 'is deleted when its time to live is over',
      ...each('Namespace ZipProject ZipBucket ZipToken', 'belongs to the user who created it'),
    },
    check: checkOwner,
  },
  {
    title: 'ports',
    means:
      'named ports above 1023 without host ports. A Service names the port of the pod and its protocol. A NetworkPolicy limits both directions and opens DNS on 53 and 5353',
    notConcerned: {
      ...Object.fromEntries(
        Object.keys(WITHOUT_PODS)
          .filter((kind) => !['Service', 'NetworkPolicy'].includes(kind))
          .map((kind) => [kind, 'opens no port']),
      ),
      ...each(
        'CiliumNetworkPolicy CiliumClusterwideNetworkPolicy',
        'only adds the API server to NetworkPolicies',
      ),
    },
    check: checkPorts,
  },
  ofPods('service links', '`enableServiceLinks: false`', ({ spec }) => {
    expect(spec['enableServiceLinks']).to.equal(false);
  }),
  ofPods('OS', 'the node label `kubernetes.io/os: linux`', ({ spec }) => {
    expect(spec['nodeSelector']).to.include({ 'kubernetes.io/os': 'linux' });
  }),
  {
    ...ofPods('injection', 'labels and annotations that keep the sidecars of meshes out', checkInjection),
    notConcerned: {
      ...WITHOUT_PODS,
      ...each('Deployment/api Deployment/controller Deployment/dashboard', 'runs as long as its sidecar'),
    },
  },
  ofPods('security context', 'the profile `restricted`, and a read-only root file system', checkSecurity),
  {
    ...ofPods(
      'log',
      'a limit of ephemeral storage above the 250 MiB of logs that the kubelet of some managed clusters keeps of a container',
      checkLog,
    ),
    notConcerned: { ...WITHOUT_PODS, ...each(ZIPPERS, 'writes a few lines and ends') },
  },
  ofPods('pull Secrets', 'those of `image.pullSecrets` or `zipper.podTemplate`', ({ spec }) => {
    expect(spec['imagePullSecrets']).to.deep.equal(SECRETS);
  }),
  ofPods('priority', 'the class of its `podTemplate`, or that of recovery', checkPriority),
];

/** What the page and the reasons call it: the kind, and the component if it has pods. */
export function nameOf({ object }: Walked): string {
  const component = podTemplateOf(object)?.metadata.labels?.['app.kubernetes.io/component'];
  return component !== undefined && POD_NAMES.includes(component)
    ? `${object.kind} ${component}`
    : object.kind;
}

/** Why the object is not concerned; undefined if it is. */
export function reasonNotToAsk(question: Question, walked: Walked): string | undefined {
  return question.notConcerned[nameOf(walked)] ?? question.notConcerned[walked.object.kind];
}

/** What each object should have but has not. */
export function missingIn(all: readonly Walked[]): readonly string[] {
  return all.flatMap((walked) =>
    QUESTIONS.flatMap((question) => {
      if (reasonNotToAsk(question, walked) !== undefined) return [];
      try {
        question.check(walked);
        return [];
      } catch (error) {
        const { kind, metadata } = walked.object;
        return [`${kind} ${metadata.name} of the ${walked.creator}, ${question.title}: ${String(error)}`];
      }
    }),
  );
}
