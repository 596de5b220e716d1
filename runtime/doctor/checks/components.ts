import { listAt, textAt } from '../../kube/fields.ts';
import type { Check } from '../context.ts';
import { componentOf, type Release } from '../find-release.ts';
import { type Finding, failure, orOk } from '../finding.ts';

const PULL_REASONS = ['ErrImagePull', 'ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull'];
const CRASH_REASONS = [
  'CrashLoopBackOff',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
];

interface Replicas {
  readonly component: string;
  readonly name: string;
  readonly wanted: number;
  readonly ready: number;
}

export function replicasOf({ deployments }: Pick<Release, 'deployments'>): readonly Replicas[] {
  return deployments.map((one) => ({
    component: componentOf(one),
    name: textAt(one, 'metadata', 'name'),
    wanted: Number(textAt(one, 'spec', 'replicas') || 1),
    ready: Number(textAt(one, 'status', 'readyReplicas')),
  }));
}

/** Components that an operator may scale to zero. */
const OPTIONAL = 'dashboard';

function replicaFindings(release: Release): readonly Finding[] {
  const { namespace } = release;
  return replicasOf(release).flatMap(({ component, name, wanted, ready }) => {
    if (wanted === 0 && component !== OPTIONAL)
      return [
        failure(
          `Deployment ${name} is scaled to 0 replicas`,
          `Scale it: kubectl scale deployment -n ${namespace} ${name} --replicas=1`,
        ),
      ];
    if (ready >= wanted) return [];
    return [
      failure(
        `Deployment ${name} has ${ready} of ${wanted} replicas ready`,
        `See why: kubectl describe pods -n ${namespace} -l app.kubernetes.io/component=${component}`,
      ),
    ];
  });
}

function waitingFinding(pod: unknown, container: unknown, namespace: string): Finding | undefined {
  const reason = textAt(container, 'state', 'waiting', 'reason');
  const name = textAt(pod, 'metadata', 'name');
  const what = `Container ${textAt(container, 'name')} of pod ${name}`;
  if (PULL_REASONS.includes(reason))
    return failure(
      `${what} does not start: its image ${textAt(container, 'image')} cannot be pulled (${reason})`,
      `Check the image name, the registry and image.pullSecrets: kubectl describe pod -n ${namespace} ${name}`,
    );
  if (CRASH_REASONS.includes(reason))
    return failure(
      `${what} does not run (${reason})`,
      `Read its last log: kubectl logs -n ${namespace} ${name} --previous --all-containers`,
    );
  return undefined;
}

function podFindings({ namespace, pods }: Release): readonly Finding[] {
  return pods.flatMap((pod) => {
    const containers = [
      ...listAt(pod, 'status', 'initContainerStatuses'),
      ...listAt(pod, 'status', 'containerStatuses'),
    ];
    return containers.flatMap((one) => waitingFinding(pod, one, namespace) ?? []);
  });
}

export const components: Check = {
  name: 'components',
  run: async ({ release }) => {
    const summary = replicasOf(release).map(
      ({ component, wanted, ready }) => `${component} ${ready}/${wanted}`,
    );
    return orOk(replicaFindings(release), `All replicas are ready: ${summary.join(', ')}`);
  },
};

export const images: Check = {
  name: 'images',
  run: async ({ release }) => orOk(podFindings(release), 'Every container of the release runs'),
};
