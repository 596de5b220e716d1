import { expect } from 'chai';
import { attemptOf, classify } from '#controller/zip-job/attempt.ts';
import { giveUp } from '#controller/zip-job/policies/failure.ts';
import type { Attempt, AttemptClass } from '#crds/zip-job.ts';
import { ago, aJob, aPod, aZipJob, NOW } from '#test/support/builders/objects.ts';
import { disrupted, ended, failureMessage } from '#test/support/builders/pod-statuses.ts';
import { progressOf, starting } from '#test/support/builders/zip-job-statuses.ts';

describe('classify', () => {
  const cases: readonly { name: string; pod: Parameters<typeof classify>[0]; want: AttemptClass }[] = [
    { name: 'exit code 0', pod: aPod('p', { status: ended({ exitCode: 0 }) }), want: 'success' },
    {
      name: 'exit code 0 in a pod that the kubelet evicted',
      pod: aPod('p', { status: { ...disrupted(0), phase: 'Failed' } }),
      want: 'disruption',
    },
    {
      name: 'exit code 0 in a failed pod',
      pod: aPod('p', { status: { ...ended({ exitCode: 0 }), phase: 'Failed' } }),
      want: 'transient',
    },
    { name: 'exit code 10', pod: aPod('p', { status: ended({ exitCode: 10 }) }), want: 'permanent' },
    { name: 'exit code 29', pod: aPod('p', { status: ended({ exitCode: 29 }) }), want: 'permanent' },
    { name: 'exit code 30', pod: aPod('p', { status: ended({ exitCode: 30 }) }), want: 'transient' },
    {
      name: 'exit code 35, of a stopped pod',
      pod: aPod('p', { status: ended({ exitCode: 35 }) }),
      want: 'disruption',
    },
    { name: 'exit code 37', pod: aPod('p', { status: ended({ exitCode: 37 }) }), want: 'superseded' },
    { name: 'exit code 1', pod: aPod('p', { status: ended({ exitCode: 1 }) }), want: 'transient' },
    { name: 'SIGTERM by a drain (F8)', pod: aPod('p', { status: disrupted(143) }), want: 'disruption' },
    { name: 'a permanent code during a drain', pod: aPod('p', { status: disrupted(12) }), want: 'permanent' },
    {
      name: 'an OOM kill (F9)',
      pod: aPod('p', { status: ended({ exitCode: 137, reason: 'OOMKilled' }) }),
      want: 'oom',
    },
    { name: 'SIGKILL', pod: aPod('p', { status: ended({ exitCode: 137 }) }), want: 'transient' },
    {
      name: 'a pod without a container state',
      pod: aPod('p', { status: { phase: 'Failed' } }),
      want: 'disruption',
    },
    { name: 'a pod that is gone', pod: undefined, want: 'disruption' },
  ];
  for (const { name, pod, want } of cases)
    it(`classifies ${name} as ${want}`, () => {
      expect(classify(pod)).to.equal(want);
    });
});

describe('attemptOf', () => {
  const at = { n: 2, now: NOW };

  it('prefers the termination message to the status', () => {
    const zipJob = aZipJob({
      status: {
        progress: progressOf('uid-p1'),
        failure: { code: 'SourceStalled', retriable: true },
      },
    });
    const message = failureMessage('SourceNotFound', { fileIndex: 0, httpStatus: 404 });
    const pod = aPod('p1', { status: ended({ exitCode: 12, message }) });
    expect(attemptOf(zipJob, { podUid: 'uid-p1', pod }, at)).to.deep.equal({
      n: 2,
      podUid: 'uid-p1',
      startedAt: ago(40),
      finishedAt: ago(0),
      exitCode: 12,
      class: 'permanent',
      reason: 'SourceNotFound',
      message: 'file 0: A source responded with a status that a retry does not change. (HTTP 404)',
    });
  });

  it('uses the failure in the status if the message is the end of a log', () => {
    const zipJob = aZipJob({
      status: {
        progress: progressOf('uid-p1'),
        failure: { code: 'SourceStalled', fileIndex: 1, message: 'nothing came', retriable: true },
      },
    });
    const pod = aPod('p1', { status: ended({ exitCode: 1, message: 'at Object.<anonymous> (main.ts)' }) });
    expect(attemptOf(zipJob, { podUid: 'uid-p1', pod }, at)).to.include({
      reason: 'SourceStalled',
      message: 'file 1: nothing came',
    });
  });

  it('masks the secrets of a signed URL', () => {
    const message = failureMessage('SourceNotFound', {
      message: 'GET https://h.example/a?X-Amz-Signature=CANARY failed',
    });
    const pod = aPod('p1', { status: ended({ exitCode: 12, message }) });
    expect(attemptOf(aZipJob(), { podUid: 'uid-p1', pod }, at).message).to.not.contain('CANARY');
  });
});

describe('giveUp', () => {
  function attempts(...classes: readonly AttemptClass[]): readonly Attempt[] {
    return classes.map((one, index) => ({ n: index + 1, podUid: `uid-${index}`, class: one }));
  }
  function judge(list: readonly Attempt[], more: { job?: ReturnType<typeof aJob>; total?: number } = {}) {
    return giveUp(aZipJob(), more.job ?? aJob(), {
      status: { ...starting(), attempts: list, attemptsTotal: more.total ?? list.length },
      maxDisruptions: 20,
    });
  }
  const failed = aJob({
    status: { conditions: [{ type: 'FailureTarget', status: 'True', reason: 'BackoffLimitExceeded' }] },
  });
  const complete = aJob({ status: { conditions: [{ type: 'Complete', status: 'True' }] } });
  const truncated = {
    n: 4,
    podUid: 'p',
    class: 'transient',
    reason: 'SourceTruncated',
    message: 'file 3: cut',
  } as const;

  const cases: readonly { name: string; got: ReturnType<typeof judge>; want: string | undefined }[] = [
    { name: 'before any attempt', got: judge([]), want: undefined },
    {
      name: 'after three of four failures',
      got: judge(attempts('transient', 'transient', 'transient')),
      want: undefined,
    },
    {
      name: 'after four failures',
      got: judge(attempts('transient', 'superseded', 'transient', 'transient')),
      want: 'BackoffLimitExceeded',
    },
    {
      name: 'after four failures with a known last reason',
      got: judge([...attempts('transient', 'transient', 'transient'), truncated]),
      want: 'SourceTruncated',
    },
    { name: 'after one OOM kill', got: judge(attempts('oom')), want: undefined },
    {
      name: 'after two OOM kills (F9)',
      got: judge(attempts('oom', 'disruption', 'oom')),
      want: 'OutOfMemory',
    },
    { name: 'after 20 disruptions', got: judge(attempts('disruption'), { total: 20 }), want: undefined },
    {
      name: 'after 21 disruptions',
      got: judge(attempts('disruption'), { total: 21 }),
      want: 'TooManyDisruptions',
    },
    { name: 'after a permanent failure', got: judge(attempts('permanent')), want: 'Internal' },
    { name: 'after exit code 0 without a result', got: judge(attempts('success')), want: 'ResultMissing' },
    {
      name: 'when the Job is complete and its pod was deleted before its exit was seen',
      got: judge(attempts('disruption'), { job: complete }),
      want: 'ResultMissing',
    },
    { name: 'when the Job failed', got: judge([], { job: failed }), want: 'BackoffLimitExceeded' },
  ];
  for (const { name, got, want } of cases)
    it(`returns ${want ?? 'undefined'} ${name}`, () => {
      expect(got?.reason).to.equal(want);
    });

  it('names the file of the last failure and the count', () => {
    const got = judge([...attempts('transient', 'transient', 'transient'), truncated]);
    expect(got?.message).to.equal('file 3: cut; 4 of 4 attempts failed');
  });
});
