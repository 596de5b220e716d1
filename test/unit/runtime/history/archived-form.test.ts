import { expect } from 'chai';
import { toJob } from '#administration/jobs/job-view.ts';
import { expandedFields } from '#api/read/expanded-fields.ts';
import { responseOf } from '#api/read/kept-responses.ts';
import { EXPANSIONS } from '#api/read/read-expand.ts';
import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import {
  archivedForm,
  fromHistoryEntry,
  toHistoryEntry,
  toHistoryJob,
} from '#runtime/history/archived-form.ts';
import { ago, aZipJob, NAME, NAMESPACE, UUID } from '#test/support/builders/objects.ts';
import {
  aCondition,
  anUpload,
  aResult,
  aSourceCheck,
  finishedAs,
  progressOf,
} from '#test/support/builders/zip-job-statuses.ts';

const OWNER = {
  projectUid: '22222222-2222-4222-8222-222222222222',
  clusterUid: '33333333-3333-4333-8333-333333333333',
};

const CANARY = 'cAnArY';
const SIGNED = `https://${CANARY}.example.com/${CANARY}?X-Amz-Signature=${CANARY}`;
const IN_TEXT = `GET ${SIGNED} failed`;

/** A ZipJob with every field. What must not be stored contains the canary. */
function withEverything(): Required<ZipJob> {
  return {
    ...aZipJob(),
    metadata: {
      name: NAME,
      namespace: NAMESPACE,
      uid: UUID,
      resourceVersion: '7',
      generation: 2,
      creationTimestamp: ago(60),
      deletionTimestamp: ago(1),
      labels: { [CANARY]: CANARY },
      annotations: {
        [ANNOTATIONS.acceptedAt]: ago(60),
        [ANNOTATIONS.createdBy]: 'ci',
        [ANNOTATIONS.requestSha256]: 'ab'.repeat(32),
        [ANNOTATIONS.runAgainOf]: 'zip-older',
        'kubectl.kubernetes.io/last-applied-configuration': `{"spec":{"files":[{"url":"${SIGNED}"}]}}`,
        [ANNOTATIONS.traceparent]: CANARY,
      },
      finalizers: [CANARY],
      ownerReferences: [{ apiVersion: 'v1', kind: 'Secret', name: CANARY, uid: CANARY }],
    },
    spec: {
      bucketRef: { name: 'r2-archive' },
      service: 'r2',
      key: 'out/archive.zip',
      files: [
        { url: SIGNED, filename: 'a.txt' },
        { url: `data:,${CANARY}`, filename: 'b.txt' },
      ],
      filesFrom: { secretNames: [`${CANARY}-files-0`], encoding: 'gzip+json', count: 3, sha256: CANARY },
      metadata: '{"order":1.0,"nul":"\\u0000"}',
      compression: 'deflate',
      onSourceError: 'Skip',
      manifestEntry: 'manifest.json',
      manifestFormat: 'json',
      fixedModificationTime: ago(100),
      activeDeadlineSeconds: 60,
      startDeadlineSeconds: 60,
      maxAttempts: 4,
      ttlSecondsAfterFinished: { succeeded: 60 },
      priorityClassName: 'low',
      resources: { requests: { cpu: 1 } },
      queueName: 'queue',
      onConflict: 'fail',
      sha256: true,
      portableNames: 'refuse',
      sequential: true,
      objectOptions: { contentType: 'application/zip', metadata: { a: 'b' } },
      webhook: {
        url: `https://${CANARY}.example.com/hook/${CANARY}`,
        events: ['COMPLETED'],
        endpoints: [{ name: 'audit', url: `https://${CANARY}.example.com/`, events: ['FAILED'] }],
      },
      suspend: false,
      cancel: false,
    },
    status: {
      ...finishedAs('Failed'),
      observedGeneration: 2,
      message: IN_TEXT,
      job: { name: NAME, uid: 'uid-job', podName: 'p1', podUid: CANARY, node: 'node-1' },
      attempts: [{ n: 1, podUid: 'uid-p1', class: 'permanent', message: IN_TEXT }],
      attemptsTotal: 1,
      webhook: {
        state: 'Exhausted',
        attempts: 2,
        log: [{ at: ago(1), durationMs: 4, error: IN_TEXT }],
        endpoints: [
          { name: 'audit', state: 'Exhausted', log: [{ at: ago(1), durationMs: 4, error: IN_TEXT }] },
        ],
      },
      conditions: [aCondition('Failed', ['True', 'SourceNotFound'], { message: IN_TEXT })],
      progress: progressOf('uid-p1'),
      upload: { ...anUpload('open'), uploadId: CANARY },
      result: aResult({ bytes: 4096 }),
      failure: { code: 'SourceNotFound', message: IN_TEXT, fileIndex: 1, httpStatus: 404, retriable: false },
      sourceCheck: aSourceCheck(2),
    },
  };
}

describe('the archived form of a ZipJob', () => {
  it('contains no URL, header, webhook URL or name of a Secret', () => {
    const entry = toHistoryEntry(withEverything(), OWNER);
    expect(JSON.stringify(withEverything())).to.contain(CANARY);
    expect(JSON.stringify(entry)).to.not.contain(CANARY);
    expect(JSON.stringify(entry)).to.not.match(/https?:|:\/\/|last-applied/);
  });

  it('drops fields that this version does not know, at every level with fields of the caller', () => {
    const { metadata, spec, status } = withEverything();
    const later = { later: CANARY };
    const headers = { Authorization: CANARY };
    const zipJob = {
      ...withEverything(),
      ...later,
      metadata: { ...metadata, ...later, managedFields: [later] },
      spec: {
        ...spec,
        ...later,
        headers,
        bucketRef: { ...spec.bucketRef, ...later },
        files: (spec.files ?? []).map((file) => ({ ...file, headers })),
        filesFrom: { ...spec.filesFrom, ...later },
        webhook: { ...spec.webhook, headers },
      },
      status: { ...status, ...later, job: { ...status.job, ...later } },
    } as unknown as ZipJob;
    expect(JSON.stringify(toHistoryEntry(zipJob, OWNER))).to.not.contain(CANARY);
  });

  it('keeps names of inline files, counts of stored lists, and every field that a page shows', () => {
    const { metadata, spec, status } = archivedForm(withEverything());
    expect(metadata).to.deep.equal({
      name: NAME,
      namespace: NAMESPACE,
      uid: UUID,
      creationTimestamp: ago(60),
      annotations: {
        [ANNOTATIONS.acceptedAt]: ago(60),
        [ANNOTATIONS.createdBy]: 'ci',
        [ANNOTATIONS.requestSha256]: 'ab'.repeat(32),
        [ANNOTATIONS.runAgainOf]: 'zip-older',
      },
    });
    const source = withEverything();
    expect(spec).to.deep.equal({
      ...source.spec,
      files: [
        { url: '', filename: 'a.txt' },
        { url: '', filename: 'b.txt' },
      ],
      filesFrom: { secretNames: [], encoding: 'gzip+json', count: 3, sha256: '' },
      webhook: { events: ['COMPLETED'], endpoints: [{ name: 'audit', events: ['FAILED'] }] },
    });
    const { upload: _upload, observedGeneration: _generation, ...shown } = source.status;
    expect(Object.keys(status ?? {}).toSorted()).to.deep.equal(Object.keys(shown).toSorted());
    expect(status?.message).to.equal('GET [redacted] failed');
    expect(status?.job).to.deep.equal({ name: NAME, uid: 'uid-job', podName: 'p1', node: 'node-1' });
    expect(status?.sourceCheck).to.deep.equal(source.status.sourceCheck);
  });

  it('is the same after it was stored and read, with the metadata exactly as sent', () => {
    const entry = toHistoryEntry(withEverything(), OWNER);
    expect(entry.metadata).to.equal('{"order":1.0,"nul":"\\u0000"}');
    expect(entry.detail).to.not.contain('"order"');
    expect(fromHistoryEntry(entry)).to.deep.equal(archivedForm(withEverything()));
  });

  for (const phase of ['Succeeded', 'Failed', 'Cancelled'] as const)
    it(`looks the same as a ${phase} ZipJob in the API and on pages`, () => {
      const { spec, status } = withEverything();
      const message = 'HTTP 404 for the file';
      const zipJob: ZipJob = {
        ...aZipJob({
          metadata: { uid: UUID },
          spec: { ...spec, files: [{ url: SIGNED, filename: 'a.txt' }] },
        }),
        status: {
          ...status,
          ...finishedAs(phase, { message }),
          failure: { code: 'SourceNotFound', message, fileIndex: 0, httpStatus: 404, retriable: false },
          webhook: { state: 'Delivered', attempts: 1, log: [{ at: ago(1), durationMs: 4, status: 204 }] },
          conditions: [aCondition('Failed', ['True', 'SourceNotFound'])],
          attempts: [],
        },
      };
      const stored = fromHistoryEntry(toHistoryEntry(zipJob, OWNER));
      expect(toJob(stored)).to.deep.equal(toJob(zipJob));
      expect(responseOf(stored)).to.deep.equal(responseOf(zipJob));
      function expand(job: ZipJob) {
        return expandedFields(job, EXPANSIONS, { helpUrl: 'https://help' });
      }
      expect(expand(stored)).to.deep.equal(expand(zipJob));
    });

  it('adds nothing to a ZipJob with few fields', () => {
    const zipJob = aZipJob({ metadata: { uid: UUID }, status: finishedAs('Cancelled') });
    const { resourceVersion: _version, generation: _generation, ...metadata } = zipJob.metadata;
    const { filesFrom: _list, ...spec } = zipJob.spec;
    const { filesFrom, ...archived } = archivedForm(zipJob).spec;
    expect(filesFrom?.count).to.equal(3);
    expect(archived).to.deep.equal(spec);
    expect(archivedForm(zipJob).metadata).to.deep.equal(metadata);
  });
});

describe('toHistoryJob', () => {
  it('derives a row of the list from a finished ZipJob', () => {
    expect(toHistoryJob(withEverything(), OWNER)).to.deep.equal({
      ...OWNER,
      finishedAt: ago(10),
      createdAt: ago(60),
      startedAt: ago(35),
      durationMs: 25_000,
      uid: UUID,
      id: UUID,
      namespace: NAMESPACE,
      name: NAME,
      phase: 'Failed',
      reason: 'SourceNotFound',
      service: 'r2',
      bucketName: 'archive',
      key: 'out/archive.zip',
      files: 3,
      bytes: 4096,
      createdBy: 'ci',
      webhookState: 'Exhausted',
      runAgainOf: 'zip-older',
      requestSha256: 'ab'.repeat(32),
    });
  });

  it('leaves out what a job that never ran has not', () => {
    const { startedAt: _startedAt, ...status } = finishedAs('Cancelled');
    const zipJob = aZipJob({ metadata: { name: 'by-hand', uid: UUID }, status });
    expect(toHistoryJob(zipJob, OWNER)).to.include({
      id: UUID,
      startedAt: null,
      durationMs: null,
      reason: 'Cancelled',
      bytes: 0,
      createdBy: null,
      runAgainOf: null,
      requestSha256: null,
    });
  });

  it('stores the reason of the controller, and not an earlier failure of a zipper', () => {
    const failure = { code: 'Terminated', message: 'stopped', retriable: true } as const;
    function reasonOf(phase: 'Succeeded' | 'Failed' | 'Cancelled', reason: string): string {
      return toHistoryJob(aZipJob({ status: { ...finishedAs(phase), reason, failure } }), OWNER).reason;
    }
    expect(reasonOf('Failed', 'DeadlineExceeded')).to.equal('DeadlineExceeded');
    expect(reasonOf('Cancelled', 'Cancelled')).to.equal('Cancelled');
    expect(reasonOf('Succeeded', 'VerifiedInStore')).to.equal('VerifiedInStore');
    expect(reasonOf('Failed', 'Unheard')).to.equal('Terminated');
  });

  it('refuses a ZipJob that is not finished', () => {
    const zipJob = aZipJob({ metadata: { uid: UUID }, status: { phase: 'Finalizing', finishedAt: ago(1) } });
    expect(() => toHistoryJob(zipJob, OWNER)).to.throw(TypeError, NAME);
  });
});
