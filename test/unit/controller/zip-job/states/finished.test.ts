import { expect } from 'chai';
import type { DeliveryState } from '#controller/webhook/dispatcher.ts';
import { afterResponse } from '#controller/webhook/endpoint.ts';
import type { Observation } from '#controller/zip-job/observation.ts';
import { FINALIZER } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import { DEFAULT_ENDPOINT } from '#crds/webhook-endpoints.ts';
import type { JobWebhookState, WebhookState, ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { judge, kinds, withStatus } from '#test/support/builders/judge.ts';
import { ago, aJob, aPod, aZipProject, NAME, NOW } from '#test/support/builders/objects.ts';
import { aCondition, anUpload, finishedAs, running } from '#test/support/builders/zip-job-statuses.ts';

/** The delivery to the default endpoint. */
function first(delivery: DeliveryState): Observation['deliveries'] {
  return new Map([[DEFAULT_ENDPOINT, delivery]]);
}

describe('decide while a ZipJob is being deleted (F14)', () => {
  const deleting = { deletionTimestamp: ago(5) };

  it('deactivates the pod, deletes the Job and recovers the attempt before it removes the finalizer', () => {
    const zipJob = withStatus(running('p1', { upload: anUpload('open') }), {}, deleting);
    const decision = judge({ zipJob, job: aJob(), pods: [aPod('p1')] });
    expect(decision.status).to.include({ phase: 'Finalizing', reason: 'Deleted' });
    expect(kinds(decision)).to.deep.equal(['deleteJob']);
  });

  it('notifies no endpoint, and says so of each', () => {
    const events = ['FAILED'] as const;
    const webhook = { url: 'https://hook.example', events, endpoints: [{ name: 'audit', events }] };
    const { status } = judge({ zipJob: withStatus({}, { webhook }, deleting) });
    expect(status).to.include({ phase: 'Cancelled', reason: 'Deleted' });
    expect(status?.webhook).to.deep.equal({
      state: 'NotConfigured',
      endpoints: [{ name: 'audit', state: 'NotConfigured' }],
    });
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
    const decision = judge({ zipJob, deliveries: first({ kind: 'stale' }) });
    expect(kinds(decision)).to.deep.equal(['discardDelivery', 'deliverWebhook']);
  });

  it('does nothing while a delivery is in flight', () => {
    const decision = judge({ zipJob: finished({ webhook }), deliveries: first({ kind: 'inFlight' }) });
    expect(kinds(decision)).to.deep.equal([]);
  });

  it('records a delivery without changing phase or result', () => {
    const zipJob = finished({ webhook });
    const delivery = {
      kind: 'responded',
      response: { delivery: { at: ago(0), durationMs: 12, status: 204 } },
    } as const;
    const { status, events } = judge({ zipJob, deliveries: first(delivery) });
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

describe('decide for a webhook with several endpoints', () => {
  const NAMES = ['audit', 'billing', 'search'] as const;
  const url = 'https://hooks.example/';
  const pending: WebhookState = {
    state: 'Pending',
    deliveryId: 'msg_1_COMPLETED',
    attempts: 0,
    nextAttemptAt: ago(10),
  };
  const delivered: WebhookState = { ...pending, state: 'Delivered' };
  const project: ZipProject = {
    ...aZipProject(),
    spec: { webhook: { url, endpoints: NAMES.map((name) => ({ name, url })) } },
  };

  /** A finished job whose delivery to the default endpoint, and to those with a name, has this state. */
  function aJobWith(
    state: WebhookState,
    named: Readonly<Partial<Record<(typeof NAMES)[number], WebhookState>>>,
    metadata: Partial<ZipJob['metadata']> = {},
  ): ZipJob {
    const endpoints = NAMES.map((name) => ({ name, ...(named[name] ?? delivered) }));
    const events = ['COMPLETED'] as const;
    return withStatus(
      { ...finishedAs('Succeeded'), finishedAt: ago(10), webhook: { ...state, endpoints } },
      { webhook: { url, events, endpoints: NAMES.map((name) => ({ name, url, events })) } },
      { finalizers: [], ...metadata },
    );
  }
  function responded(status: number): DeliveryState {
    return { kind: 'responded', response: { delivery: { at: ago(0), durationMs: 1, status } } };
  }
  function statesOf(webhook: JobWebhookState | undefined): readonly string[] {
    return [webhook, ...(webhook?.endpoints ?? [])].map((one) => one?.state ?? '');
  }
  function notifiedBy(status: ZipJobStatus | undefined): string | undefined {
    return findCondition(status?.conditions, 'Notified')?.reason;
  }

  it('sends to each endpoint whatever happens at the others', () => {
    const zipJob = aJobWith(pending, { audit: pending, billing: { ...pending, nextAttemptAt: ago(-60) } });
    const deliveries = first({ kind: 'inFlight' });
    expect(judge({ zipJob, project, deliveries })).to.deep.equal({
      actions: [{ kind: 'deliverWebhook', endpoint: 'audit' }],
      events: [],
      requeueAfterMs: 60_000,
    });
  });

  it('records all results in one write, and names the endpoint in its Event', () => {
    const zipJob = aJobWith(pending, { audit: pending, billing: pending });
    const deliveries = new Map([
      [DEFAULT_ENDPOINT, responded(204)],
      ['audit', responded(410)],
      ['billing', responded(503)],
    ]);
    const { status, events, actions } = judge({ zipJob, project, deliveries });
    expect(statesOf(status?.webhook)).to.deep.equal(['Delivered', 'Exhausted', 'Pending', 'Delivered']);
    expect(status?.webhook).to.not.have.property('name');
    expect(events.map(({ message }) => message.replace(/ next at .*/, ''))).to.deep.equal([
      'the webhook was delivered (HTTP 204)',
      'webhook attempt 1 at endpoint audit failed (HTTP 410); no attempts are left',
      'webhook attempt 1 at endpoint billing failed (HTTP 503);',
    ]);
    expect(actions).to.deep.equal([]);
    expect(notifiedBy(status)).to.equal('WebhookPending');
  });

  it('is notified once every endpoint has the event', () => {
    const deliveries = new Map([['audit', responded(204)]]);
    const last = judge({ zipJob: aJobWith(delivered, { audit: pending }), project, deliveries });
    expect(notifiedBy(last.status)).to.equal('Delivered');
    const lost: WebhookState = { ...pending, state: 'Exhausted', attempts: 1, lastStatus: 410 };
    const other = judge({ zipJob: aJobWith(lost, { audit: pending }), project, deliveries });
    expect(notifiedBy(other.status)).to.equal('Exhausted');
  });

  it('says why an endpoint did not get the event, also if another endpoint got it later', () => {
    function reasonAfter(
      first: WebhookState,
      billing: WebhookState & { readonly reason?: 'EndpointRemoved' } = delivered,
    ): string | undefined {
      const deliveries = new Map([['audit', responded(204)]]);
      return notifiedBy(
        judge({ zipJob: aJobWith(first, { audit: pending, billing }), project, deliveries }).status,
      );
    }
    const ended = { ...pending, state: 'Exhausted' } as const;
    const failed = { ...ended, attempts: 1, lastStatus: 410 };
    const removed = { ...ended, reason: 'EndpointRemoved' } as const;
    expect(reasonAfter(ended)).to.equal('EndpointDisabled');
    expect(reasonAfter({ ...ended, lastStatus: 410 }), 'before a replay').to.equal('EndpointDisabled');
    expect(reasonAfter({ ...ended, attempts: 1, lastStatus: 503 })).to.equal('EndpointDisabled');
    expect(reasonAfter({ ...ended, attempts: 10, lastStatus: 503 })).to.equal('Exhausted');
    expect(reasonAfter(delivered, removed)).to.equal('EndpointRemoved');
    expect(reasonAfter(failed, removed)).to.equal('Exhausted');
  });

  it('is kept until every endpoint has the event or no attempts are left (W18)', () => {
    const old = { finishedAt: ago(604_801) };
    function kindsOf(audit: WebhookState): readonly string[] {
      const zipJob = aJobWith(delivered, { audit });
      return kinds(judge({ zipJob: { ...zipJob, status: { ...zipJob.status, ...old } }, project }));
    }
    expect(kindsOf({ ...pending, nextAttemptAt: ago(-100) })).to.deep.equal(['deleteFileList']);
    expect(kindsOf({ ...pending, state: 'Exhausted' })).to.deep.equal(['deleteFileList', 'deleteZipJob']);
  });

  it('ends the delivery to an endpoint that the project no longer has, and says so', () => {
    const zipJob = aJobWith(delivered, { audit: pending });
    const without = { ...project, spec: { webhook: { url } } };
    const { status, events, actions } = judge({ zipJob, project: without });
    expect(status?.webhook?.endpoints?.[0]).to.deep.equal({
      name: 'audit',
      state: 'Exhausted',
      reason: 'EndpointRemoved',
      deliveryId: 'msg_1_COMPLETED',
      attempts: 0,
    });
    expect([notifiedBy(status), actions]).to.deep.equal(['EndpointRemoved', []]);
    expect(events.map(({ message }) => message).join('')).to.match(/Endpoint: audit$/);
    // Unknown as long as the project itself is.
    expect(kinds(judge({ zipJob, project: undefined }))).to.deep.equal(['deliverWebhook']);
  });

  it('sends nothing to an endpoint that is disabled, and to the others all the same', () => {
    const at = { now: NOW, disableAfterSeconds: 60 };
    const gone = { endpoint: url, delivery: { at: ago(0), durationMs: 1, status: 410 } };
    const disabled = { ...afterResponse(undefined, gone, at), name: 'audit' };
    const zipJob = aJobWith(pending, { audit: pending, billing: pending });
    const seen = { ...project, status: { webhook: { endpoints: [disabled] } } };
    const { status, actions } = judge({ zipJob, project: seen });
    expect(statesOf(status?.webhook)).to.deep.equal(['Pending', 'Exhausted', 'Pending', 'Delivered']);
    expect(status?.webhook?.endpoints?.[0]?.reason).to.equal('EndpointDisabled');
    expect(actions.map((action) => 'endpoint' in action && action.endpoint)).to.deep.equal([
      DEFAULT_ENDPOINT,
      'billing',
    ]);
  });

  it('resends the event only to the endpoint that the command names (W15)', () => {
    const ended = { ...pending, state: 'Exhausted', reason: 'EndpointRemoved' } as const;
    const annotations = { 'zipjobs.dev/replay-webhook.audit': 'again-1' };
    const { status } = judge({ zipJob: aJobWith(delivered, { audit: ended }, { annotations }), project });
    expect(statesOf(status?.webhook)).to.deep.equal(['Delivered', 'Pending', 'Delivered', 'Delivered']);
    expect(status?.webhook?.endpoints?.[0]).to.include({ replayNonce: 'again-1' });
    expect(status?.webhook?.endpoints?.[0]).to.not.have.property('reason');
    expect(status?.webhook).to.not.have.property('replayNonce');
  });
});
