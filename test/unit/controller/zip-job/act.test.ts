import { expect } from 'chai';
import { controllerReferenceOf } from '#controller/cluster/ownership.ts';
import type { EventNote } from '#controller/reconciling/events.ts';
import { recoveryJob } from '#controller/zip-job/manifest/job-manifest.ts';
import { ownedStatus } from '#controller/zip-job/owned-status.ts';
import { ANNOTATIONS, FINALIZER } from '#crds/api-group.ts';
import { DEFAULT_ENDPOINT } from '#crds/webhook-endpoints.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { aZipBucket, aZipJob, NAME, NAMESPACE, NOW } from '#test/support/builders/objects.ts';
import { anObservation } from '#test/support/builders/observation.ts';
import { anUpload, finishedAs, running } from '#test/support/builders/zip-job-statuses.ts';
import { config, create, decision, KEY, setUp } from './act-harness.ts';

const RECORD = { [ANNOTATIONS.acceptedUid]: 'uid-zipjob' };
const NOTE: EventNote = { type: 'Normal', reason: 'Accepted', message: 'yes' };

describe('act', () => {
  it('writes the status, then records the Event, then adds the finalizer and creates the Job', async () => {
    const { act, stored, reported, patches, jobs, memory } = setUp();
    const outcome = await act(
      anObservation({ zipJob: stored }),
      decision({
        status: { phase: 'Queued' },
        events: [NOTE],
        actions: [{ kind: 'addFinalizer' }, create(stored)],
      }),
    );
    expect(outcome.kind).to.equal('again');
    expect(reported).to.deep.equal([NOTE]);
    expect(jobs.all()).to.have.length(1);
    expect(patches).to.deep.equal([
      { metadata: { finalizers: [FINALIZER], annotations: RECORD, resourceVersion: '2' } },
    ]);
    expect(memory.newest(stored).metadata.resourceVersion).to.equal('3');
  });

  it('prepares the ZipCheckpoint before it writes the status', async () => {
    const { act, stored, done, checkpoints } = setUp();
    const before = [{ kind: 'setCheckpoint', podUid: 'uid-p2' }] as const;
    await act(anObservation({ zipJob: stored }), decision({ before, status: { checkpointed: true } }));
    expect(done).to.deep.equal([
      'apply ZipCheckpoint {"zipJobUid":"uid-zipjob","activePodUid":"uid-p2"}',
      'write status',
    ]);
    const [made] = checkpoints.all();
    expect(made?.metadata).to.deep.include({
      name: NAME,
      namespace: NAMESPACE,
      ownerReferences: [controllerReferenceOf(stored, 'ZipJob')],
    });
  });

  it('repeats what it prepared after a conflict, which does no harm', async () => {
    const { act, zipJobs, stored, done, checkpoints } = setUp();
    zipJobs.put({ ...stored, spec: { ...stored.spec, cancel: true } });
    const before = [{ kind: 'setCheckpoint', podUid: 'uid-p2' }] as const;
    const outcome = await act(
      anObservation({ zipJob: stored }),
      decision({ before, status: { phase: 'Queued' } }),
    );
    expect(outcome.kind).to.equal('again');
    await act(anObservation({ zipJob: stored }), decision({ before: [{ kind: 'deleteCheckpoint' }] }));
    await act(anObservation({ zipJob: stored }), decision({ before: [{ kind: 'deleteCheckpoint' }] }));
    expect(done.slice(2)).to.deep.equal(['delete ZipCheckpoint', 'delete ZipCheckpoint']);
    expect(checkpoints.all()).to.deep.equal([]);
  });

  for (const code of ['Forbidden', 'NotServed', 'QuotaExceeded', 'NamespaceTerminating', 'Invalid'] as const)
    it(`continues without a ZipCheckpoint where the API server refuses it with ${code}, and does not ask again soon`, async () => {
      const { act, zipJobs, stored, failCheckpoints, memory } = setUp();
      failCheckpoints(new KubeError('refused', { attempt: 'PATCH', code }));
      const before = [{ kind: 'setCheckpoint', podUid: 'uid-p1' }] as const;
      const status = { phase: 'Running', checkpointed: true } as const;
      await act(anObservation({ zipJob: stored }), decision({ before, status }));
      expect(zipJobs.all()[0]?.status).to.deep.equal({ phase: 'Running' });
      expect(memory.checkpointRetryAt(KEY)).to.not.equal(undefined);
      await act(anObservation({ zipJob: stored }), decision({ before: [{ kind: 'deleteCheckpoint' }] }));
    });

  it('writes no status while the API server does not respond about the ZipCheckpoint', async () => {
    const { act, stored, failCheckpoints, done } = setUp();
    failCheckpoints(new KubeError('no response', { attempt: 'PATCH', code: 'Timeout' }));
    const before = [{ kind: 'setCheckpoint', podUid: 'uid-p1' }] as const;
    const attempt = act(
      anObservation({ zipJob: stored }),
      decision({ before, status: { phase: 'Running' } }),
    );
    const error = await attempt.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).to.include({ code: 'Timeout' });
    expect(done).to.not.include('write status');
  });

  it('decides again on the live object after a conflict, and records no Event for a failed write', async () => {
    const { act, zipJobs, stored, reported, memory, conflicts, jobs } = setUp();
    const live = zipJobs.put({ ...stored, status: { progress: running('p').progress } } as ZipJob);
    const outcome = await act(
      anObservation({ zipJob: stored }),
      decision({ status: { phase: 'Queued' }, events: [NOTE], actions: [create(stored)] }),
    );
    expect(outcome).to.deep.equal({ kind: 'again', hints: {} });
    expect([conflicts(), reported, jobs.all()]).to.deep.equal([1, [], []]);
    expect(memory.newest(stored)).to.deep.equal(live);
  });

  it('counts a job that is deleted although the history does not have it', async () => {
    const { act, stored, metrics } = setUp();
    const seen = anObservation({ zipJob: stored });
    await act(
      seen,
      decision({ actions: [{ kind: 'removeFinalizer', forced: 'Overdue', isUnstored: true }] }),
    );
    await act(seen, decision({ actions: [{ kind: 'deleteZipJob', isUnstored: true }] }));
    const { values } = await metrics.history.unstored.get();
    expect(values.map(({ labels, value }) => [labels.reason, value])).to.deep.equal([
      ['deleted', 1],
      ['full', 1],
      ['no_project', 0],
      ['refused', 0],
    ]);
  });

  it('does nothing for a ZipJob that is gone or was replaced by another', async () => {
    const { act, zipJobs, stored } = setUp();
    zipJobs.put({ ...stored, metadata: { ...stored.metadata, uid: 'uid-of-another' } });
    const seen = anObservation({ zipJob: stored });
    expect((await act(seen, decision({ status: { phase: 'Queued' } }))).kind).to.equal('gone');
    zipJobs.remove(NAMESPACE, NAME);
    expect((await act(seen, decision({ status: { phase: 'Queued' } }))).kind).to.equal('gone');
    expect((await act(seen, decision({ actions: [{ kind: 'addFinalizer' }] }))).kind).to.equal('gone');
  });

  it('creates no Job, and writes no finalizer, without a reservation (F22)', async () => {
    const { act, stored, ledger, jobs, patches } = setUp();
    ledger.hold(aZipJob({ metadata: { name: 'other', uid: 'uid-other' }, spec: { key: 'other' } }));
    const actions = [{ kind: 'reserve' }, { kind: 'addFinalizer' }, create(stored)] as const;
    const outcome = await act(anObservation({ zipJob: stored }), decision({ actions }));
    expect([outcome, jobs.all(), patches]).to.deep.equal([{ kind: 'again', hints: {} }, [], []]);
    expect(ledger.position(stored)).to.have.nested.property('blocked.reason', 'SlotsTaken');
  });

  it('creates no Job while another job of the same key has a reservation', async () => {
    const { act, stored, ledger, jobs } = setUp();
    ledger.reserve(aZipJob({ metadata: { name: 'other', uid: 'uid-other' } }));
    const actions = [{ kind: 'reserve' }, create(stored)] as const;
    await act(anObservation({ zipJob: stored }), decision({ actions }));
    expect(jobs.all()).to.deep.equal([]);
    expect(ledger.position(stored)).to.have.nested.property('blocked.reason', 'OlderJobFirst');
  });

  it('records a job as running once its Job may exist, and releases its slot only when it cannot exist', async () => {
    for (const [code, state] of [
      [undefined, 'running'],
      ['Timeout', 'running'],
      ['Unreachable', 'running'],
      ['ServerError', 'running'],
      ['QuotaExceeded', 'none'],
      ['Forbidden', 'none'],
    ] as const) {
      const { act, stored, ledger, jobs } = setUp();
      if (code) jobs.fail(new KubeError('refused', { attempt: 'POST', code }));
      const actions = [{ kind: 'reserve' }, create(stored)] as const;
      await act(anObservation({ zipJob: stored }), decision({ actions }));
      expect(ledger.position(stored), code).to.deep.equal({ state });
    }
  });

  it('returns a Job that already exists, regardless of its owner', async () => {
    const { act, stored, jobs } = setUp();
    const job = jobs.put({ metadata: { name: NAME, namespace: NAMESPACE } });
    const outcome = await act(anObservation({ zipJob: stored }), decision({ actions: [create(stored)] }));
    expect(outcome).to.deep.equal({ kind: 'again', hints: { job } });
  });

  it('creates nothing for a ZipJob that finished while the cache was stale', async () => {
    const { act, zipJobs, stored, jobs, memory } = setUp();
    const live = zipJobs.put({ ...stored, status: { phase: 'Succeeded' } });
    const outcome = await act(anObservation({ zipJob: stored }), decision({ actions: [create(stored)] }));
    expect([outcome, jobs.all()]).to.deep.equal([{ kind: 'again', hints: {} }, []]);
    expect(memory.newest(stored)).to.deep.equal(live);
  });

  it('creates nothing for a ZipJob that was cancelled while the cache was stale', async () => {
    const { act, zipJobs, stored, jobs } = setUp();
    zipJobs.put({ ...stored, spec: { ...stored.spec, cancel: true } });
    await act(anObservation({ zipJob: stored }), decision({ actions: [create(stored)] }));
    expect(jobs.all()).to.deep.equal([]);
  });

  for (const [code, reason] of [
    ['QuotaExceeded', 'QuotaExceeded'],
    ['Forbidden', 'AdmissionRefused'],
    ['TooManyRequests', 'ApiServerBusy'],
    ['Timeout', 'ApiServerBusy'],
  ] as const)
    it(`remembers ${code} on create as ${reason}, and retries with backoff (F6, F13)`, async () => {
      const { act, stored, jobs, memory } = setUp();
      jobs.fail(new KubeError('refused', { attempt: 'POST', code }));
      const seen = anObservation({ zipJob: stored });
      expect((await act(seen, decision({ actions: [create(stored)] }))).kind).to.equal('again');
      const first = memory.refusal(KEY);
      expect(first).to.include({ target: 'archive', reason, count: 1 });
      await act(seen, decision({ actions: [create(stored)] }));
      const second = memory.refusal(KEY);
      expect(second?.since).to.deep.equal(first?.since);
      expect(second?.retryAt.getTime()).to.be.greaterThan(first?.retryAt.getTime() ?? 0);
      jobs.fail(undefined);
      await act(seen, decision({ actions: [create(stored)] }));
      expect(memory.refusal(KEY)).to.equal(undefined);
    });

  it('removes the finalizer at once if a terminating namespace rejects the recovery Job', async () => {
    const { act, stored, jobs, patches } = setUp(
      aZipJob({ metadata: { finalizers: [FINALIZER], deletionTimestamp: '2026-05-04T11:59:00Z' } }),
    );
    jobs.fail(new KubeError('terminating', { attempt: 'POST', code: 'NamespaceTerminating' }));
    const job = recoveryJob(
      stored,
      { attempt: { n: 1, podUid: 'p' }, upload: anUpload('open'), bucket: aZipBucket(), now: NOW },
      config,
    );
    const action = { kind: 'createJob', target: 'recover', job } as const;
    expect((await act(anObservation({ zipJob: stored }), decision({ actions: [action] }))).kind).to.equal(
      'done',
    );
    expect(patches).to.deep.equal([
      { metadata: { finalizers: [], annotations: RECORD, resourceVersion: '1' } },
    ]);
  });

  it('ignores a recovery Job of another owner', async () => {
    const { act, stored, jobs, memory } = setUp();
    const attempt = { n: 1, podUid: 'p' };
    const upload = { attempt, upload: anUpload('open'), bucket: aZipBucket(), now: NOW };
    const job = recoveryJob(stored, upload, config);
    jobs.put({ metadata: { namespace: NAMESPACE, name: job.metadata.name } });
    const action = { kind: 'createJob', target: 'recover', job } as const;
    const outcome = await act(anObservation({ zipJob: stored }), decision({ actions: [action] }));
    expect(outcome).to.deep.equal({ kind: 'again', hints: {} });
    expect(memory.refusal(KEY)).to.include({ target: 'recover', reason: 'AdmissionRefused' });
  });

  it('deletes the file list by name and records the time', async () => {
    const { act, stored, secrets, patches } = setUp(aZipJob({ status: finishedAs('Succeeded') }));
    const action = { kind: 'deleteFileList', secretNames: [`${NAME}-files-0`] } as const;
    await act(anObservation({ zipJob: stored }), decision({ actions: [action] }));
    expect(secrets.calls).to.deep.equal([`delete ${NAMESPACE}/${NAME}-files-0`]);
    expect(JSON.stringify(patches)).to.contain('file-list-deleted-at');
  });

  it('passes a delivery result to the endpoint state once it is in the status (W10)', async () => {
    const webhook = { url: 'https://hooks.example/x', events: ['COMPLETED'] } as const;
    const { act, stored, endpoints } = setUp(aZipJob({ spec: { webhook }, status: finishedAs('Succeeded') }));
    const response = { delivery: { at: '2026-05-04T12:00:00Z', durationMs: 3, status: 503 } };
    const seen = anObservation({
      zipJob: stored,
      deliveries: new Map([[DEFAULT_ENDPOINT, { kind: 'responded', response }]]),
    });
    await act(seen, decision({}));
    expect(endpoints).to.deep.equal([]);
    await act(seen, decision({ status: ownedStatus(finishedAs('Succeeded')) }));
    expect(endpoints).to.deep.equal([[NAMESPACE, webhook.url, 503]]);
  });

  it('counts a finished job once, when the write of its status succeeds', async () => {
    const { act, stored, registry } = setUp(aZipJob({ status: running('p1') }));
    const status = ownedStatus(finishedAs('Failed'));
    const seen = anObservation({ zipJob: stored });
    await act(seen, decision({ status }));
    await act(seen, decision({ status }));
    const { values } = (await registry.getSingleMetric('zip_jobs_finished_total')?.get()) ?? { values: [] };
    expect(values.filter(({ value }) => value > 0)).to.deep.equal([
      { labels: { project: '', result: 'failed', reason: 'SourceNotFound', fault: 'caller' }, value: 1 },
    ]);
  });
});
