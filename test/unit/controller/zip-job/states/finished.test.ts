import { expect } from 'chai';
import { afterResponse } from '#controller/webhook/endpoint.ts';
import type { Observation } from '#controller/zip-job/observation.ts';
import { FINALIZER } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import type { ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { judge, kinds, withStatus } from '#test/support/builders/judge.ts';
import { ago, aJob, aPod, aZipProject, NAME, NOW } from '#test/support/builders/objects.ts';
import { aCondition, anUpload, finishedAs, running } from '#test/support/builders/zip-job-statuses.ts';

describe('decide while a ZipJob is being deleted (F14)', () => {
  const deleting = { deletionTimestamp: ago(5) };

  it('deactivates the pod, deletes the Job and recovers the attempt before it removes the finalizer', () => {
    const zipJob = withStatus(running('p1', { upload: anUpload('open') }), {}, deleting);
    const decision = judge({ zipJob, job: aJob(), pods: [aPod('p1')] });
    expect(decision.status).to.include({ phase: 'Finalizing', reason: 'Deleted' });
    expect(kinds(decision)).to.deep.equal(['deleteJob']);
  });

  it('removes the finalizer of a finished ZipJob', () => {
    const zipJob = withStatus(finishedAs('Cancelled'), {}, deleting);
    expect(kinds(judge({ zipJob }))).to.deep.equal(['removeFinalizer']);
  });

  it('removes the finalizer within five minutes in any case, and requeues in time for it', () => {
    const stillRecovering = withStatus(
      {
        ...finishedAs('Cancelled'),
        phase: 'Finalizing',
        conditions: [aCondition('Recovered', ['False', 'Recovering'])],
      },
      {},
      { deletionTimestamp: ago(279) },
    );
    expect(judge({ zipJob: stillRecovering, job: aJob() }).requeueAfterMs).to.equal(1000);
    const zipJob = withStatus(running('p1'), {}, { deletionTimestamp: ago(280) });
    expect(judge({ zipJob, job: aJob(), pods: [aPod('p1')] })).to.deep.equal({
      actions: [{ kind: 'removeFinalizer', forced: 'Overdue' }],
      events: [],
    });
  });

  it('removes the finalizer immediately if the namespace is deleted, because no recovery Job can be created there', () => {
    const zipJob = withStatus(running('p1'), {}, deleting);
    const seen = { zipJob, job: aJob(), isNamespaceTerminating: true };
    expect(judge(seen)).to.deep.equal({
      actions: [{ kind: 'removeFinalizer', forced: 'NamespaceTerminating' }],
      events: [],
    });
  });
});

describe('decide after the job finished', () => {
  const webhook = {
    state: 'Pending',
    deliveryId: 'msg_1_COMPLETED',
    attempts: 0,
    nextAttemptAt: ago(10),
  } as const;
  function finished(more: ZipJobStatus = {}, metadata = {}) {
    return withStatus(
      finishedAs('Succeeded', more),
      { webhook: { url: 'https://hook.example', events: ['COMPLETED'] } },
      {
        finalizers: [],
        ...metadata,
      },
    );
  }

  it('deletes a Job that would start further pods, even if an earlier process died before it did', () => {
    const attempt = { n: 1, podUid: 'uid-p1', class: 'transient' } as const;
    const zipJob = finished({ attempts: [attempt], webhook: { state: 'NotConfigured' } });
    expect(kinds(judge({ zipJob, job: aJob() }))).to.deep.equal(['deleteJob']);
    const done = finished({
      attempts: [{ ...attempt, class: 'success' }],
      webhook: { state: 'NotConfigured' },
    });
    expect(kinds(judge({ zipJob: done, job: aJob() }))).to.deep.equal([]);
  });

  describe('when its pods expire', () => {
    const done = { n: 1, podUid: 'uid-p1', class: 'success' } as const;
    function at(seconds: number, phase: 'Succeeded' | 'Failed' = 'Succeeded', more: ZipJobStatus = {}) {
      return withStatus(
        finishedAs(phase, { finishedAt: ago(seconds), attempts: [done], ...more }),
        {},
        { finalizers: [] },
      );
    }
    const recovery = aJob({ metadata: { name: `${NAME}-recover-1`, uid: 'uid-recovery' } });
    const ownJobs = [aJob(), recovery];
    function deletions(zipJob: ZipJob, more: Partial<Observation> = {}) {
      return judge({ zipJob, ownJobs, ...more }).actions.filter(({ kind }) => kind === 'deleteJob');
    }
    const all = [
      { kind: 'deleteJob', name: NAME, uid: 'uid-job' },
      { kind: 'deleteJob', name: `${NAME}-recover-1`, uid: 'uid-recovery' },
    ];

    it('deletes the Jobs of the archive and of recoveries an hour after a success and a day after a failure (G2)', () => {
      expect(deletions(at(3599))).to.deep.equal([]);
      expect(judge({ zipJob: at(3599), ownJobs }).requeueAfterMs).to.equal(1000);
      expect(deletions(at(3600))).to.deep.equal(all);
      expect(deletions(at(86_399, 'Failed'))).to.deep.equal([]);
      expect(deletions(at(86_400, 'Failed'))).to.deep.equal(all);
    });

    it('deletes them at once if there are too many ended pods (G2)', () => {
      expect(deletions(at(1), { hasSurplusPods: true })).to.deep.equal(all);
    });

    it('keeps them while the pod has not exited, because only the pod says how the attempt ended (G2)', () => {
      const job = { name: NAME, uid: 'uid-job', podUid: 'uid-p2' };
      const seen = { pods: [aPod('p2')], job: aJob({ metadata: { deletionTimestamp: ago(1) } }) };
      expect(deletions(at(90_000, 'Succeeded', { job }), { ...seen, hasSurplusPods: true })).to.deep.equal(
        [],
      );
    });

    it('changes neither the status nor the delivery of a pending webhook (G2)', () => {
      const decision = judge({ zipJob: at(3600, 'Succeeded', { webhook }), ownJobs });
      expect(kinds(decision)).to.deep.equal(['deliverWebhook', 'deleteFileList', 'deleteJob', 'deleteJob']);
      expect(decision.status).to.equal(undefined);
    });

    it('deletes its file list and an expired ZipJob first, because a policy may refuse the deletion of a Job (G2)', () => {
      const expired = judge({ zipJob: at(604_801), ownJobs });
      expect(kinds(expired)).to.deep.equal(['deleteFileList', 'deleteZipJob', 'deleteJob', 'deleteJob']);
    });

    it('does nothing more once the Jobs are gone (G2)', () => {
      const zipJob = at(3600, 'Succeeded', { attempts: [{ ...done, class: 'transient' }] });
      const decision = judge({ zipJob, ownJobs: [] });
      expect(decision.status).to.equal(undefined);
      expect(kinds(decision)).to.deep.equal(['deleteFileList']);
      const [job] = ownJobs;
      const isLeaving = { ...job, metadata: { ...recovery.metadata, deletionTimestamp: ago(1) } };
      expect(deletions(zipJob, { ownJobs: [isLeaving as Job] })).to.deep.equal([]);
    });
  });

  it('keeps the file list and the ZipJob while a rerun uses them', () => {
    const zipJob = finished({ finishedAt: ago(8 * 86_400) });
    const again = withStatus(running('p1'), {}, { name: 'again' });
    expect(kinds(judge({ zipJob, listUsers: [again] }))).to.deep.equal([]);
    expect(kinds(judge({ zipJob }))).to.deep.equal(['deleteFileList', 'deleteZipJob']);
  });

  it('removes the finalizer and delivers a due webhook', () => {
    const zipJob = finished({ webhook }, { finalizers: [FINALIZER] });
    expect(kinds(judge({ zipJob }))).to.deep.equal(['removeFinalizer', 'deliverWebhook']);
  });

  it('drops the result of another attempt before it sends the next one', () => {
    const zipJob = finished({ webhook });
    const decision = judge({ zipJob, delivery: { kind: 'stale' } });
    expect(kinds(decision)).to.deep.equal(['discardDelivery', 'deliverWebhook']);
  });

  it('does nothing while a delivery is in flight', () => {
    const decision = judge({ zipJob: finished({ webhook }), delivery: { kind: 'inFlight' } });
    expect(kinds(decision)).to.deep.equal([]);
  });

  it('records a delivery without changing phase or result', () => {
    const zipJob = finished({ webhook });
    const delivery = {
      kind: 'responded',
      response: { delivery: { at: ago(0), durationMs: 12, status: 204 } },
    } as const;
    const { status, events } = judge({ zipJob, delivery });
    expect(status).to.deep.include({
      phase: 'Succeeded',
      finishedAt: ago(10),
      webhook: {
        state: 'Delivered',
        deliveryId: 'msg_1_COMPLETED',
        attempts: 1,
        lastStatus: 204,
        deliveredAt: ago(0),
        log: [{ at: ago(0), durationMs: 12, status: 204, attempt: 1 }],
      },
    });
    expect(findCondition(status?.conditions, 'Notified')?.status).to.equal('True');
    expect(events).to.deep.equal([
      { type: 'Normal', reason: 'WebhookDelivered', message: 'the webhook was delivered (HTTP 204)' },
    ]);
  });

  const replay = { annotations: { 'zipjobs.dev/replay-webhook': 'again-1' } };
  const delivered = {
    state: 'Delivered',
    deliveryId: 'msg_1_COMPLETED',
    attempts: 3,
    deliveredAt: ago(5),
    log: [{ at: ago(5), durationMs: 1, status: 200 }],
  } as const;

  it('resends an event with the same id once per replay nonce (W15)', () => {
    for (const before of [delivered, { ...delivered, state: 'Exhausted' } as const]) {
      const { status } = judge({ zipJob: finished({ webhook: before }, replay) });
      const webhook = {
        ...before,
        state: 'Pending',
        attempts: 0,
        nextAttemptAt: ago(0),
        replayNonce: 'again-1',
      };
      expect(status?.webhook).to.deep.equal(webhook);
      expect(findCondition(status?.conditions, 'Notified')?.status).to.equal('False');
      const next = finished(status ?? {}, replay);
      expect(kinds(judge({ zipJob: next }))).to.deep.equal(['deliverWebhook']);
    }
    const responded = finished({ webhook: { ...delivered, replayNonce: 'again-1' } }, replay);
    expect(judge({ zipJob: responded })).to.deep.include({ actions: [], events: [] });
  });

  it('acknowledges a replay of a job without a webhook, and sends nothing', () => {
    const decision = judge({ zipJob: finished({}, replay) });
    expect(decision.status?.webhook).to.deep.equal({ state: 'NotConfigured', replayNonce: 'again-1' });
    expect(decision.actions).to.deep.equal([]);
  });

  it('sends nothing to a disabled endpoint, reports it, and leaves the job unchanged (W9, W10)', () => {
    const url = 'https://hook.example';
    const at = { now: NOW, disableAfterSeconds: 60 };
    const gone = afterResponse(
      undefined,
      { endpoint: url, delivery: { at: ago(0), durationMs: 1, status: 410 } },
      at,
    );
    const project = { ...aZipProject(), status: { webhook: gone } };
    const { status, actions, events } = judge({ zipJob: finished({ webhook }), project });
    expect(status).to.include({ phase: 'Succeeded', apiStatus: 'succeeded' });
    expect(status?.webhook?.state).to.equal('Exhausted');
    expect(findCondition(status?.conditions, 'Notified')?.reason).to.equal('EndpointDisabled');
    expect([actions, events.map(({ reason }) => reason)]).to.deep.equal([[], ['EndpointDisabled']]);
  });

  it('deletes the file list and the ZipJob when each expires, never with a pending webhook (W18)', () => {
    const old = { finishedAt: ago(604_801) };
    expect(kinds(judge({ zipJob: finished(old) }))).to.deep.equal(['deleteFileList', 'deleteZipJob']);
    const pending = finished({ ...old, webhook: { ...webhook, nextAttemptAt: ago(-100) } });
    expect(kinds(judge({ zipJob: pending }))).to.deep.equal(['deleteFileList']);
    const recent = judge({ zipJob: finished() });
    expect(recent).to.deep.equal({ actions: [], events: [], requeueAfterMs: 3_590_000 });
  });
});
