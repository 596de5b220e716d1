import { expect } from 'chai';
import { archiveJob } from '#controller/zip-job/manifest/job-manifest.ts';
import { giveUp } from '#controller/zip-job/policies/failure.ts';
import type { Attempt } from '#crds/zip-job.ts';
import type { Pod } from '#runtime/kube/resources.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { judge, kinds, withStatus } from '#test/support/builders/judge.ts';
import { ago, aJob, aPod, aZipBucket, aZipJob, NAME } from '#test/support/builders/objects.ts';
import { ended } from '#test/support/builders/pod-statuses.ts';
import { aCondition, finishedAs, starting } from '#test/support/builders/zip-job-statuses.ts';

const config = aConfig();

/** As the kubelet writes it, which has not started the container. */
function rejected(reason: string): NonNullable<Pod['status']> {
  return { phase: 'Failed', reason, message: `Pod was rejected: Node didn't have enough resource: cpu` };
}

function attempts(count: number, one: Partial<Attempt>, from = 1): readonly Attempt[] {
  return Array.from({ length: count }, (_, index) => ({
    n: from + index,
    podUid: `uid-${from + index}`,
    finishedAt: ago(5),
    ...one,
  }));
}

const REJECTED = { class: 'disruption', reason: 'OutOfcpu' } as const;
const CRASHED = { class: 'transient', reason: 'SourceUnavailable', exitCode: 31 } as const;

function outcomeAfter(records: readonly Attempt[], failed = records.length) {
  const status = { attempts: records.slice(-10), attemptsTotal: records.length };
  const job = { ...aJob(), status: { failed } };
  return giveUp(aZipJob(), job, { status, maxDisruptions: 20 })?.reason;
}

describe('decide after the kubelet rejected a pod', () => {
  for (const reason of ['OutOfcpu', 'OutOfmemory', 'OutOfpods', 'NodeAffinity', 'UnexpectedAdmissionError'])
    it(`records ${reason} as a disruption, with the words of the kubelet (X42)`, () => {
      const pods = [aPod('p1', { status: rejected(reason) })];
      const decision = judge({ zipJob: withStatus(starting('p1')), job: aJob(), pods });
      expect(decision.status?.attempts?.[0]).to.include({
        class: 'disruption',
        reason,
        message: "Pod was rejected: Node didn't have enough resource: cpu",
      });
    });

  it('records a container that the runtime could not start as a failure, with the words of the runtime (X49)', () => {
    const message = 'exec /usr/bin/node: exec format error';
    const pods = [aPod('p1', { status: ended({ exitCode: 128, reason: 'StartError', message }) })];
    const decision = judge({ zipJob: withStatus(starting('p1')), job: aJob(), pods });
    expect(decision.status?.attempts?.[0]).to.include({
      class: 'transient',
      reason: 'StartError',
      message: `StartError: ${message}`,
    });
  });

  it('continues after more rejections than attempts, which the Job counts as failures (X42)', () => {
    expect(outcomeAfter(attempts(4, REJECTED))).to.equal(undefined);
    expect(outcomeAfter(attempts(20, REJECTED))).to.equal(undefined);
  });

  it('gives up after 20 rejections, and after the failures of the job (X42)', () => {
    expect(outcomeAfter(attempts(21, REJECTED), 10)).to.equal('TooManyDisruptions');
    expect(outcomeAfter([...attempts(4, REJECTED), ...attempts(4, CRASHED, 5)])).to.equal(
      'SourceUnavailable',
    );
  });

  it('keeps the failures among many rejections, so that they count (X42)', () => {
    const pods = [aPod('p11', { status: rejected('OutOfcpu') })];
    const before = {
      ...starting('p11'),
      attemptsTotal: 10,
      attempts: [...attempts(1, CRASHED), ...attempts(9, REJECTED, 2)],
    };
    const { status } = judge({ zipJob: withStatus(before), job: aJob(), pods });
    expect(status?.attempts?.map(({ n }) => n)).to.deep.equal([1, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(status?.attemptsTotal).to.equal(11);
  });

  it('creates a Job that does not fail before the disruptions of the job are used up (X42)', () => {
    const { spec } = archiveJob(
      aZipJob({ spec: { ...aZipJob().spec, maxAttempts: 1 } }),
      aZipBucket(),
      config,
    );
    expect(spec?.backoffLimit).to.equal(config.maxDisruptions);
  });

  it('lets the Job of a job without further attempts fail, and keeps its pods (X42)', () => {
    const status = finishedAs('Failed', {
      job: { name: NAME, uid: 'uid-job' },
      attempts: attempts(4, CRASHED),
      attemptsTotal: 4,
      conditions: [aCondition('Recovered', ['True', 'Recovered'])],
      webhook: { state: 'NotConfigured' },
    });
    const zipJob = withStatus(status, {}, { finalizers: [] });
    const job = { ...aJob(), status: { failed: 4 } };
    expect(judge({ zipJob, job }).actions).to.deep.equal([{ kind: 'failJob', name: NAME, uid: 'uid-job' }]);
    const failed = { type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' };
    expect(
      kinds(judge({ zipJob, job: { ...job, status: { failed: 4, conditions: [failed] } } })),
    ).to.deep.equal([]);
  });
});
