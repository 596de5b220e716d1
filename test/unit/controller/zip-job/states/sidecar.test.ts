import { expect } from 'chai';
import { judge, kinds, withStatus } from '#test/support/builders/judge.ts';
import { ago, aJob, aPod, NAME } from '#test/support/builders/objects.ts';
import { endedBesideSidecar, failureMessage } from '#test/support/builders/pod-statuses.ts';
import { aCondition, aResult, finishedAs, running } from '#test/support/builders/zip-job-statuses.ts';

describe('decide while a sidecar outlives the zipper', () => {
  for (const { exitCode, reason, expected } of [
    { exitCode: 12, reason: 'Error', expected: { class: 'permanent', reason: 'SourceNotFound' } },
    { exitCode: 31, reason: 'Error', expected: { class: 'transient', reason: 'SourceNotFound' } },
    { exitCode: 137, reason: 'OOMKilled', expected: { class: 'oom', reason: 'OOMKilled' } },
    { exitCode: 137, reason: 'Error', expected: { class: 'transient', reason: 'Error' } },
  ])
    it(`ends the attempt as ${expected.class} at exit code ${exitCode}, ${reason} (X35)`, () => {
      const message = expected.reason === 'SourceNotFound' && failureMessage('SourceNotFound');
      const status = endedBesideSidecar({ exitCode, reason, ...(message && { message }) });
      const decision = judge({
        zipJob: withStatus(running('p1')),
        job: aJob(),
        pods: [aPod('p1', { status })],
      });
      expect(decision.status?.attempts).to.have.length(1);
      expect(decision.status?.attempts?.[0]).to.include({ exitCode, ...expected });
      expect(decision.status?.job).to.not.have.property('podUid');
    });

  function succeeded() {
    return withStatus(
      finishedAs('Succeeded', {
        job: { name: NAME, uid: 'uid-job', podName: 'p1' },
        result: aResult(),
        attempts: [{ n: 1, podUid: 'uid-p1', class: 'success', exitCode: 0 }],
        conditions: [aCondition('Recovered', ['True', 'Recovered'])],
        finishedAt: ago(5),
        webhook: { state: 'NotConfigured' },
      }),
      {},
      { finalizers: [] },
    );
  }

  it('deletes a Job whose sidecar failed after the success, because it would run the zipper again (X35)', () => {
    const success = { exitCode: 0, reason: 'Completed' };
    const ended = { ...endedBesideSidecar(success), phase: 'Failed' as const };
    const failed = judge({ zipJob: succeeded(), job: aJob(), pods: [aPod('p1', { status: ended })] });
    expect(kinds(failed)).to.deep.equal(['deleteJob']);
    const own = { ...endedBesideSidecar(success), phase: 'Succeeded' as const };
    expect(
      kinds(judge({ zipJob: succeeded(), job: aJob(), pods: [aPod('p1', { status: own })] })),
    ).to.deep.equal([]);
  });

  it('keeps the Job of a success after a failed attempt (X35)', () => {
    const job = { ...aJob(), status: { failed: 1 } };
    expect(kinds(judge({ zipJob: succeeded(), job }))).to.deep.equal([]);
  });
});
