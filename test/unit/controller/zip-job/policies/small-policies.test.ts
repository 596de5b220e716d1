import { expect } from 'chai';
import { queueTurn } from '#controller/admission/queue-turn.ts';
import { nextPod } from '#controller/zip-job/policies/charge.ts';
import { expiresAt, fileListExpiresAt } from '#controller/zip-job/policies/expiry.ts';
import { fileListFault } from '#controller/zip-job/policies/file-list.ts';
import { podWaiting } from '#controller/zip-job/policies/pod-waiting.ts';
import { verifyResult } from '#controller/zip-job/policies/result.ts';
import { startDeadline } from '#controller/zip-job/policies/start-deadline.ts';
import { ANNOTATIONS } from '#crds/api-group.ts';
import type { FilesFrom, ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import { isJsonObject } from '#runtime/kube/decode.ts';
import { aConfig, ago, aJob, aPod, aZipJob, NAME, NOW } from '#test/support/builders/builders.ts';
import { waitingFor } from '#test/support/builders/pod-statuses.ts';
import {
  aCondition,
  aResult,
  finishedAs,
  running,
  starting,
} from '#test/support/builders/zip-job-statuses.ts';

describe('queueTurn', () => {
  const zipJob = aZipJob({ metadata: { name: 'b', creationTimestamp: ago(50) } });
  const other = (name: string, seconds: number, more: object = {}) =>
    aZipJob({ metadata: { name, creationTimestamp: ago(seconds) }, ...more });
  const cases = [
    { name: 'alone', rivals: [], want: { kind: 'go' } },
    { name: 'behind an older job', rivals: [other('a', 60)], want: { kind: 'wait', for: 'a' } },
    { name: 'before a younger job', rivals: [other('a', 40)], want: { kind: 'go' } },
    {
      name: 'while a younger job runs already',
      rivals: [other('c', 40, { status: running('p') })],
      want: { kind: 'wait', for: 'c' },
    },
    {
      name: 'of two of the same second, by the time of acceptance',
      rivals: [
        aZipJob({
          metadata: {
            name: 'c',
            creationTimestamp: ago(50),
            annotations: { [ANNOTATIONS.acceptedAt]: ago(61) },
          },
        }),
      ],
      want: { kind: 'wait', for: 'c' },
    },
    {
      name: 'of two of the same second otherwise, by name',
      rivals: [other('a', 50), other('c', 50)],
      want: { kind: 'wait', for: 'a' },
    },
    {
      name: 'past an older job that is suspended',
      rivals: [other('a', 60, { spec: { suspend: true } })],
      want: { kind: 'go' },
    },
  ];
  for (const { name, rivals, want } of cases)
    it(`decides ${name}: ${want.kind}`, () => {
      expect(queueTurn({ zipJob, rivals })).to.deep.equal(want);
    });
  it('holds a suspended job', () => {
    expect(queueTurn({ zipJob: aZipJob({ spec: { suspend: true } }), rivals: [] }).kind).to.equal(
      'suspended',
    );
  });
});

describe('isJsonObject', () => {
  for (const [text, want] of [
    ['{}', true],
    [' { "a" : 1e400 } ', true],
    ['[]', false],
    ['null', false],
    ['1', false],
    ['{}{}', false],
    ['{} //', false],
    ['', false],
  ] as const)
    it(`says ${want} for ${JSON.stringify(text)}`, () => {
      expect(isJsonObject(text)).to.equal(want);
    });
});

describe('nextPod', () => {
  const attempts = [{ n: 1, podUid: 'uid-a', startedAt: ago(30) }];
  const pod = (name: string, seconds: number) =>
    aPod(name, { metadata: { creationTimestamp: ago(seconds) } });
  it('takes the oldest of which there is no record', () => {
    expect(nextPod([pod('c', 5), pod('b', 10), pod('a', 30)], attempts)?.metadata.name).to.equal('b');
  });
  it('does not go back to a pod whose record has been dropped', () => {
    expect(nextPod([pod('old', 60), pod('a', 30)], attempts)).to.equal(undefined);
  });
});

describe('startDeadline', () => {
  const LIMITED = { trustedQueues: [] };
  const at = (seconds: number): Date => new Date(Date.parse(ago(seconds)));
  it('counts from the creation of the Job', () => {
    expect(startDeadline(aZipJob({ spec: { startDeadlineSeconds: 30 } }), aJob(), LIMITED)).to.deep.equal(
      at(20),
    );
  });
  it('grants the backoff of the Job between two pods, and counts from the pod once there is one', () => {
    const status = { ...starting(), attempts: [{ n: 1, podUid: 'p', finishedAt: ago(10) }] };
    expect(startDeadline(aZipJob({ status }), aJob(), LIMITED)).to.deep.equal(at(10 - 360 - 600));
    const pod = aPod('p2', { metadata: { creationTimestamp: ago(3) } });
    expect(startDeadline(aZipJob({ status }), aJob(), { ...LIMITED, pod })).to.deep.equal(at(3 - 600));
  });
  it('runs for a Job that waits in a queue of which the operator says nothing', () => {
    const queued = aZipJob({ spec: { queueName: 'night', startDeadlineSeconds: 30 } });
    expect(startDeadline(queued, aJob(), { trustedQueues: ['day'] })).to.deep.equal(at(20));
  });
  it('counts from the admission of a Job that waits in a trusted queue, not from its creation', () => {
    const queued = aZipJob({ spec: { queueName: 'night' } });
    for (const trusted of ['night', '*'])
      expect(startDeadline(queued, aJob(), { trustedQueues: [trusted] })).to.equal(undefined);
    const started = aJob({ status: { startTime: ago(7) } });
    expect(startDeadline(queued, started, LIMITED)).to.deep.equal(at(7 - 600));
    const again = aZipJob({
      spec: { queueName: 'night' },
      status: { ...starting(), attempts: [{ n: 1, podUid: 'p', finishedAt: ago(90) }] },
    });
    expect(startDeadline(again, started, LIMITED)).to.deep.equal(at(7 - 360 - 600));
  });
  it('does not run in the queue unless something outside holds the job up', () => {
    expect(startDeadline(aZipJob(), undefined, LIMITED)).to.equal(undefined);
    const status = { conditions: [aCondition('Waiting', ['True', 'QuotaExceeded'])] };
    expect(startDeadline(aZipJob({ status }), undefined, LIMITED)).to.deep.equal(at(30 - 600));
  });
});

describe('podWaiting', () => {
  it('knows why a node does not start the container (F13)', () => {
    const pod = aPod('p', { status: waitingFor('ImagePullBackOff', 'no such image') });
    expect(podWaiting(pod, NOW)).to.deep.equal({
      reason: 'ImagePull',
      message: 'ImagePullBackOff: no such image',
    });
    const config = aPod('p', { status: waitingFor('CreateContainerConfigError', 'no secret') });
    expect(podWaiting(config, NOW)?.reason).to.equal('ContainerConfig');
  });
  it('suspects a missing Secret when the mounts take long', () => {
    const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: ago(31) };
    const status = { ...waitingFor('ContainerCreating', ''), conditions: [scheduled] };
    const pod = {
      ...aPod('p', { status }),
      spec: { containers: [], volumes: [{ name: 'bucket', secret: { secretName: 'zipbucket-s3-a' } }] },
    };
    expect(podWaiting(pod, NOW)?.message).to.contain('zipbucket-s3-a');
  });
  it('has nothing to say of a pod that runs', () => {
    expect(podWaiting(aPod('p'), NOW)).to.equal(undefined);
  });
});

describe('verifyResult', () => {
  const cases = [
    { name: 'as many entries as files', spec: {}, result: aResult(), want: 'Uploaded' },
    { name: 'an entry too few', spec: {}, result: aResult({ entries: 2 }), want: 'ResultInvalid' },
    { name: 'no bytes', spec: {}, result: aResult({ bytes: 0 }), want: 'ResultInvalid' },
    {
      name: 'one left out on request',
      spec: { onSourceError: 'Skip' as const },
      result: aResult({ entries: 2, skipped: [1] }),
      want: 'Uploaded',
    },
    {
      name: 'one left out that nobody asked for',
      spec: {},
      result: aResult({ entries: 2, skipped: [1] }),
      want: 'ResultInvalid',
    },
    {
      name: 'a manifest entry',
      spec: { manifestEntry: 'm.json' },
      result: aResult({ entries: 4 }),
      want: 'Uploaded',
    },
  ];
  for (const { name, spec, result, want } of cases)
    it(`takes ${name} for ${want}`, () => {
      expect(verifyResult(aZipJob({ spec }), result).reason).to.equal(want);
    });
});

describe('fileListFault', () => {
  const first = aZipJob({ status: finishedAs('Failed') });
  const { filesFrom } = first.spec;
  if (!filesFrom) throw new Error('the builder makes no list');
  const again = aZipJob({ metadata: { name: 'again' } });
  const fault = (owner: ZipJob | undefined, wanted: Partial<FilesFrom> = {}) =>
    fileListFault(again, { ...filesFrom, ...wanted }, owner);

  it('finds none in a list of its own, and in that of a job that is run again', () => {
    expect(fileListFault(first, filesFrom, undefined)).to.equal(undefined);
    expect(fault(first)).to.equal(undefined);
  });

  const deleted = { annotations: { [ANNOTATIONS.fileListDeletedAt]: ago(1) } };
  const cases: readonly [string, string | undefined, RegExp][] = [
    ['Secrets of nobody', fault(undefined), /does not exist/],
    ['a list that was deleted', fault(aZipJob({ metadata: deleted })), /was deleted/],
    ['a list that is going', fault(aZipJob({ metadata: { deletionTimestamp: ago(1) } })), /was deleted/],
    ['another digest', fault(first, { sha256: 'cd'.repeat(32) }), /count and digest/],
    ['another count', fault(first, { count: 4 }), /count and digest/],
    [
      'Secrets of two lists',
      fault(first, { secretNames: [`${NAME}-files-0`, 'again-files-1'] }),
      /must be .* or the Secrets of the job to rerun/,
    ],
    [
      'another Secret',
      fault(first, { secretNames: ['zipbucket-s3-x'] }),
      /must be .* or the Secrets of the job to rerun/,
    ],
    [
      'a list of a list',
      fault(aZipJob({ spec: { filesFrom: { ...filesFrom, secretNames: ['other-files-0'] } } })),
      /no file list of its own/,
    ],
  ];
  for (const [what, found, words] of cases)
    it(`refuses ${what}`, () => {
      expect(found).to.match(words);
    });
});

describe('expiresAt', () => {
  const config = aConfig();
  const at = (seconds: number): Date => new Date(Date.parse(ago(seconds)));
  it('is seven days after the end by default', () => {
    expect(expiresAt(aZipJob({ status: finishedAs('Failed') }), config)).to.deep.equal(at(10 - 604_800));
  });
  it('follows the spec, by result', () => {
    const spec = { ttlSecondsAfterFinished: { succeeded: 5, failed: 60 } };
    expect(expiresAt(aZipJob({ spec, status: finishedAs('Succeeded') }), config)).to.deep.equal(at(5));
    expect(expiresAt(aZipJob({ spec, status: finishedAs('Cancelled') }), config)).to.deep.equal(at(-50));
  });
  it('never comes while a webhook is pending (W18)', () => {
    const status = finishedAs('Succeeded', { webhook: { state: 'Pending' } });
    expect(expiresAt(aZipJob({ status }), config)).to.equal(undefined);
  });
  it('comes once for a file list', () => {
    const status = finishedAs('Succeeded');
    expect(fileListExpiresAt(aZipJob({ status }), config)).to.deep.equal(at(10 - 3600));
    const metadata = { annotations: { [ANNOTATIONS.fileListDeletedAt]: ago(1) } };
    expect(fileListExpiresAt(aZipJob({ status, metadata }), config)).to.equal(undefined);
  });
  it('comes for a file list after the end of the last job that was run with it, and for its ZipJob as well', () => {
    const first = aZipJob({ status: finishedAs('Failed', { finishedAt: ago(5_000) }) });
    const again = (status: ZipJobStatus) =>
      aZipJob({ metadata: { name: 'again' }, spec: { ...first.spec }, status });
    expect(fileListExpiresAt(first, config, [again(running('p1'))])).to.equal(undefined);
    expect(expiresAt(first, config, [again(running('p1'))])).to.equal(undefined);
    const ended = again(finishedAs('Failed'));
    expect(fileListExpiresAt(first, config, [ended])).to.deep.equal(at(10 - 3600));
    expect(fileListExpiresAt(ended, config)).to.equal(undefined);
  });
});
