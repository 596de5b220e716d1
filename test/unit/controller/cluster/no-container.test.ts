import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { newestWarning, type PodWait, whyNoContainer } from '#controller/cluster/pod-waiting.ts';
import { recoveryWait } from '#controller/zip-job/policies/recovery-job.ts';
import { ZIPPER_CONTAINER } from '#crds/api-group.ts';
import type { Event, Pod } from '#runtime/kube/resources.ts';
import { judge, withStatus } from '#test/support/builders/judge.ts';
import { ago, aJob, aPod, NAMESPACE, NOW } from '#test/support/builders/objects.ts';
import { ended } from '#test/support/builders/pod-statuses.ts';
import { starting } from '#test/support/builders/zip-job-statuses.ts';
import { CASES, type Case } from './no-container-cases.ts';

type Status = NonNullable<Pod['status']>;

function anEvent(reason: string, message: string, age = 5): Event {
  return {
    metadata: { name: 'e', namespace: NAMESPACE },
    involvedObject: {},
    type: 'Warning',
    reason,
    message,
    lastTimestamp: ago(age),
  };
}

function waiting(name: string, reason: string, message: string) {
  return {
    name,
    image: '',
    imageID: '',
    ready: false,
    restartCount: 0,
    state: { waiting: { reason, message } },
  };
}

const PLACED = { type: 'PodScheduled', status: 'True', lastTransitionTime: ago(40) };
const USUAL = waiting(ZIPPER_CONTAINER, 'PodInitializing', '');

function podOf([source, reason, message]: Case): Pod | undefined {
  if (source === 'event of the Job') return undefined;
  const status: Record<Exclude<Case[0], 'event of the Job'>, Status> = {
    scheduler: { conditions: [{ type: 'PodScheduled', status: 'False', reason, message }] },
    container: { conditions: [PLACED], containerStatuses: [waiting(ZIPPER_CONTAINER, reason, message)] },
    'init container': {
      conditions: [PLACED],
      initContainerStatuses: [waiting('istio-init', reason, message)],
      containerStatuses: [USUAL],
    },
    'event of the pod': { conditions: [PLACED], containerStatuses: [USUAL] },
  };
  return aPod('p1', { status: { phase: 'Pending', ...status[source] } });
}

function seenIn(one: Case): { pods: readonly Pod[]; warning: PodWait | undefined } {
  const pod = podOf(one);
  const [source, reason, message] = one;
  const warning = source.startsWith('event') ? newestWarning([anEvent(reason, message)]) : undefined;
  return { pods: pod ? [pod] : [], warning };
}

const PAGE = readFileSync('docs/no-container.md', 'utf8');

describe('whyNoContainer', () => {
  for (const one of CASES) {
    const [source, reason, message, expected] = one;
    it(`reports ${expected} for ${reason} of the ${source}: ${message} (X49)`, () => {
      const seen = seenIn(one);
      const wait = whyNoContainer(seen, NOW);
      expect(wait?.reason).to.equal(expected);
      expect(wait?.message).to.contain(message);
      expect(recoveryWait(seen.pods, NOW, seen.warning)).to.equal(`${wait?.reason}: ${wait?.message}`);
      const zipJob = withStatus(starting(seen.pods.length > 0 ? 'p1' : undefined));
      const { status } = judge({ zipJob, job: aJob(), pods: seen.pods, podRefusal: seen.warning });
      expect(status).to.include({ reason: expected, message: wait?.message });
      expect(PAGE).to.contain(`| ${source} | \`${reason}\` | ${message} | \`${expected}\` |`);
    });
  }

  it('names an init container that failed, with its exit code (X49)', () => {
    const terminated = { exitCode: 2, reason: 'Error', message: 'iptables: permission denied' };
    const status = {
      phase: 'Pending',
      conditions: [PLACED],
      initContainerStatuses: [{ ...waiting('istio-init', '', ''), state: { terminated } }],
    };
    expect(whyNoContainer({ pods: [aPod('p1', { status })], warning: undefined }, NOW)?.message).to.equal(
      'init container istio-init: Error: iptables: permission denied (exit code 2)',
    );
  });

  const REJECTED = {
    phase: 'Failed',
    reason: 'OutOfcpu',
    message: "Node didn't have enough resource: cpu",
    conditions: [PLACED],
  };
  const UNSTARTABLE = {
    ...ended({ exitCode: 128, reason: 'StartError', message: 'exec /usr/bin/node: exec format error' }),
    conditions: [PLACED],
  };
  for (const [what, status, reason, message] of [
    ['the kubelet', REJECTED, 'Unschedulable', "OutOfcpu: Node didn't have enough resource: cpu"],
    [
      'the container runtime',
      UNSTARTABLE,
      'ContainerConfig',
      'StartError: exec /usr/bin/node: exec format error',
    ],
  ] as const)
    it(`reports the words of ${what} after the pod has ended (X49)`, () => {
      const before = aPod('p1', { status });
      expect(whyNoContainer({ pods: [before], warning: undefined }, NOW)).to.deep.equal({ reason, message });
      expect(recoveryWait([before], NOW, undefined)).to.equal(`${reason}: ${message}`);
      const now = aPod('p2', { status: { phase: 'Pending', conditions: [PLACED] } });
      const warning = { reason: 'ContainerConfig', message: 'of the new pod' } as const;
      expect(whyNoContainer({ pods: [before, now], warning }, NOW)).to.equal(warning);
    });

  it('reports nothing about a container that ran (X49)', () => {
    const crashed = ended({ exitCode: 1, message: 'the end of the log' });
    const evicted = { ...crashed, reason: 'Evicted', message: 'low on memory' };
    for (const status of [crashed, evicted])
      expect(whyNoContainer({ pods: [aPod('p1', { status })], warning: undefined }, NOW)).to.equal(undefined);
  });

  it('guesses only if the node reports nothing, and not before 30 s (X49)', () => {
    const status = { phase: 'Pending', conditions: [PLACED] };
    const seen = { pods: [aPod('p1', { status })], warning: undefined };
    expect(whyNoContainer(seen, NOW)?.message).to.contain('check whether these Secrets exist');
    expect(whyNoContainer(seen, new Date(Date.parse(ago(20))))).to.equal(undefined);
  });

  it('reports the newest event, without the credentials of an address (X49)', () => {
    const url = 'https://user:hunter2@registry.example.com/v2/?token=abc';
    const events = [anEvent('FailedMount', 'old', 60), anEvent('Failed', `pull image from ${url}: denied`)];
    const message = newestWarning(events)?.message ?? '';
    expect(message).to.contain('registry.example.com');
    expect(message).not.to.match(/hunter2|abc|old/);
  });
});
