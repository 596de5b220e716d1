/**
 * Sends the controller's Job with one change per request: every field of the API server's own OpenAPI is added or replaced. So
 * a field that a newer Kubernetes adds is tried too, on the day the local cluster gets it.
 */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import type { KubeResponse } from '#test/support/clients/kube-user.ts';
import { chosenKubernetes, minorNumber } from '#tools/local-cluster/kubernetes-versions.ts';
import { fullJob, type JobBody, tryJob } from './job-body.ts';
import { type Change, changed, createChanges, type Schemas, valueAt } from './schema-changes.ts';
import { accept, OWN, type World } from './world.ts';

/** What the controller chooses, also which bucket of the namespace. `**` is the rest of the path. */
const CHOICES = `
  spec/activeDeadlineSeconds
  spec/backoffLimit
  spec/podFailurePolicy/**
  spec/suspend
  spec/ttlSecondsAfterFinished
  spec/template/metadata/labels/app.kubernetes.io~instance
  spec/template/metadata/annotations/zipjobs.dev~task
  spec/template/spec/nodeSelector/**
  spec/template/spec/priorityClassName
  spec/template/spec/terminationGracePeriodSeconds
  spec/template/spec/tolerations/**
  spec/template/spec/containers/0/imagePullPolicy
  spec/template/spec/containers/0/resources/limits/**
  spec/template/spec/containers/0/resources/requests/**
  spec/template/spec/containers/0/terminationMessagePolicy
  spec/template/spec/volumes/1/secret/secretName
`
  .trim()
  .split(/\s+/);

/** Values where the API server refuses what the type permits. */
const SAMPLES = {
  appArmorProfile: { type: 'Unconfined' },
  azureDisk: { diskName: 'x', diskURI: 'https://x.blob.core.windows.net/x/x.vhd' },
  configMap: { name: 'x' },
  dnsPolicy: 'Default',
  envFrom: [{ configMapRef: { name: 'x' } }],
  ephemeral: {
    volumeClaimTemplate: {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  },
  fc: { wwids: ['x'] },
  flocker: { datasetName: 'x' },
  hostAliases: [{ ip: '192.0.2.1', hostnames: ['x'] }],
  hostPath: { path: '/' },
  initContainers: [{ name: 'x', image: 'x' }],
  // As a volume. In a new container, it is invalid.
  image: { reference: 'x' },
  iscsi: { iqn: 'iqn.2001-04.com.example:x', lun: 1, targetPortal: '192.0.2.1:3260' },
  lifecycle: { postStart: { exec: { command: ['true'] } } },
  livenessProbe: { exec: { command: ['true'] } },
  managedBy: 'example.com/x',
  mountPath: '/app',
  mountPropagation: 'HostToContainer',
  nameservers: ['192.0.2.1'],
  nfs: { path: '/', server: 'x' },
  os: { name: 'linux' },
  quobyte: { registry: 'x:1', volume: 'x' },
  rbd: { image: 'x', monitors: ['x'] },
  recursiveReadOnly: 'IfPossible',
  readinessProbe: { exec: { command: ['true'] } },
  resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
  resourceClaims: [{ name: 'x', resourceClaimName: 'x' }],
  restartPolicy: 'Never',
  scaleIO: { gateway: 'x', system: 'x', secretRef: { name: 'x' }, volumeName: 'x' },
  seccompProfile: { type: 'Unconfined' },
  // As a volume and as a source of one.
  secret: { secretName: 'x', name: 'x' },
  startupProbe: { exec: { command: ['true'] } },
  storageos: { volumeName: 'x' },
};

/** The API server replaces these values by its own. */
const REPLACED = ['spec/selector', 'spec/template/spec/serviceAccount'];

const CLUSTER_MINOR = minorNumber(chosenKubernetes().version);
/** New fields that contradict the rest of the Job, so that the API server refuses them before it asks a policy. */
const CONTRADICTIONS = [
  'JobSpec.backoffLimitPerIndex',
  'JobSpec.manualSelector',
  'JobSpec.maxFailedIndexes',
  'JobSpec.successPolicy',
  // The rules are new in Kubernetes 1.35, and let a container have a policy of its own.
  CLUSTER_MINOR >= 35 ? 'Container.restartPolicyRules' : 'Container.restartPolicy',
  'Container.volumeDevices',
  'PodSpec.ephemeralContainers',
];
const KINDS = ['JobSpec', 'PodTemplateSpec', 'PodSpec', 'Container', 'Volume'];

function nameOf({ path }: Change): string {
  return path.map((step) => String(step).replaceAll('/', '~')).join('/');
}

function isChoice(change: Change): boolean {
  return CHOICES.some((choice) =>
    choice.endsWith('/**') ? nameOf(change).startsWith(choice.slice(0, -2)) : nameOf(change) === choice,
  );
}

type Verdict = 'refused by the policy' | 'accepted' | 'dropped' | 'invalid';

function verdictOf(change: Change, before: JobBody, { status, message, body }: KubeResponse): Verdict {
  if (message.includes("ValidatingAdmissionPolicy 'zipjobs-zipper-jobs'")) return 'refused by the policy';
  if (status >= 300) return 'invalid';
  if (REPLACED.includes(nameOf(change))) return 'dropped';
  const stored = valueAt(body, change.path);
  return stored === undefined || isDeepStrictEqual(stored, valueAt(before, change.path))
    ? 'dropped'
    : 'accepted';
}

export function describeJobFields(theWorld: () => World): void {
  let job: JobBody;
  const verdicts = new Map<Change, Verdict>();
  before(async () => {
    const world = theWorld();
    job = fullJob(world, await world.createZipJob(OWN));
    const { body } = accept(await world.admin.request('GET', '/openapi/v3/apis/batch/v1'));
    const { schemas } = body['components'] as { schemas: Schemas };
    for (const change of createChanges(schemas, SAMPLES)('io.k8s.api.batch.v1.JobSpec', job.spec, ['spec'])) {
      const response = await tryJob(world, changed(job, change));
      verdicts.set(change, verdictOf(change, job, response));
    }
  });
  it('is tried: several hundred changes', () => {
    expect(verdicts.size).to.be.greaterThan(300);
  });

  it('is refused unless the table of the chart leaves the choice to the controller (N9)', () => {
    const accepted = [...verdicts].filter(([, verdict]) => verdict === 'accepted');
    expect(
      accepted
        .map(([change]) => change)
        .filter((change) => !isChoice(change))
        .map(nameOf),
    ).to.deep.equal([]);
  });

  it('is refused by the policy itself when it is new, so that a future field is too (N9)', () => {
    function fieldsThatWere(is: (verdict: Verdict, change: Change) => boolean): readonly string[] {
      return [...verdicts].flatMap(([change, verdict]) => {
        const kind = change.added?.kind.split('.').at(-1) ?? '';
        return is(verdict, change) && KINDS.includes(kind) ? [`${kind}.${change.added?.field}`] : [];
      });
    }
    const decided = fieldsThatWere((verdict) => verdict !== 'invalid');
    const undecided = fieldsThatWere(
      (verdict, { path, added }) => verdict === 'invalid' && path.at(-1) === added?.field,
    );
    // If a field of a newer Kubernetes is here, add a value to SAMPLES that the API server accepts.
    expect(undecided.filter((field) => !decided.includes(field))).to.have.members(CONTRADICTIONS);
  });
}
