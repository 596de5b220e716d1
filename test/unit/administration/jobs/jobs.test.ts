import { expect } from 'chai';
import { timelineOf } from '#administration/jobs/job-timeline.ts';
import { toJob } from '#administration/jobs/job-view.ts';
import { type JobQuery, listJobs } from '#administration/jobs/list-jobs.ts';
import { checkCanRunAgain, zipJobAgain } from '#administration/jobs/run-again.ts';
import { ANNOTATIONS, LABELS, MAX_ZIP_JOB_NAME_LENGTH } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { ago, aZipJob, NAME, UUID } from '#test/support/builders/objects.ts';
import { aSourceCheck, finishedAs, running } from '#test/support/builders/zip-job-statuses.ts';

const CANARY = 'cAnArY0123456789';
const NEW_UUID = '0f9d7a52-58a4-4c8e-9a57-1d1a2b3c4d5e';
const URL_WITH_SECRET = `https://example.com/file?sig=${CANARY}`;

describe('toJob', () => {
  it('omits the URLs of sources and of the webhook', () => {
    const zipJob = aZipJob({
      spec: { webhook: { url: URL_WITH_SECRET, events: ['FAILED'] } },
      status: finishedAs('Failed', {
        message: `file 0: ${URL_WITH_SECRET}`,
        failure: { code: 'SourceNotFound', fileIndex: 0, retriable: false, message: URL_WITH_SECRET },
      }),
    });
    const { filesFrom: _filesFrom, ...spec } = zipJob.spec;
    const files = [{ url: URL_WITH_SECRET, filename: 'b.txt' }];
    const job = toJob({ ...zipJob, spec: { ...spec, files } });
    expect(JSON.stringify(job)).not.to.contain(CANARY);
    expect(job.failure).to.include({ fileIndex: 0, filename: 'b.txt', httpStatus: null });
    expect(job.files).to.deep.equal({ list: 'inline', count: 1, deletedAt: null });
  });

  it('names the failing files if the list is inline', () => {
    const zipJob = aZipJob({ status: finishedAs('Failed', { sourceCheck: aSourceCheck(2) }) });
    const { filesFrom: _filesFrom, ...spec } = zipJob.spec;
    const files = Array.from({ length: 74 }, (_, n) => ({ url: URL_WITH_SECRET, filename: `f${n}` }));
    expect(toJob({ ...zipJob, spec: { ...spec, files } }).sourceCheck).to.deep.equal({
      checked: 10_000,
      failed: 2,
      failures: [
        { fileIndex: 0, filename: 'f0', code: 'SourceNotFound', httpStatus: 404 },
        { fileIndex: 73, filename: 'f73', code: 'SourceUnreachable', httpStatus: null },
      ],
      bytes: 1_024,
      lengths: 2,
    });
    expect(toJob(zipJob).sourceCheck?.failures[0]).to.include({ filename: null });
  });

  it('returns the same fields for every job, with null for unknown values', () => {
    const fresh = toJob(aZipJob());
    const old = toJob(aZipJob({ status: finishedAs('Succeeded') }));
    expect(Object.keys(fresh)).to.deep.equal(Object.keys(old));
    expect(fresh).to.include({ id: UUID, phase: null, apiStatus: 'none', reason: null, attemptsTotal: 0 });
    expect(Object.values(fresh)).not.to.include(undefined);
  });
});

describe('timelineOf', () => {
  it('lists attempts, conditions and deliveries in chronological order', () => {
    const job = aZipJob({
      status: finishedAs('Failed', {
        conditions: [],
        attempts: [
          {
            n: 1,
            podUid: 'p',
            startedAt: ago(50),
            finishedAt: ago(20),
            class: 'permanent',
            exitCode: 12,
            reason: 'SourceNotFound',
            message: 'file 1',
          },
        ],
        webhook: { state: 'Delivered', log: [{ at: ago(5), durationMs: 12, status: 204 }] },
      }),
    });
    expect(timelineOf(toJob(job)).map(({ what, detail }) => `${what}: ${detail}`)).to.deep.equal([
      'Created: ',
      'Attempt 1 started: ',
      'Attempt 1 finished: permanent, exit code 12, SourceNotFound: file 1',
      'Webhook sent: HTTP 204 in 12 ms',
    ]);
  });
});

describe('zipJobAgain', () => {
  const first = aZipJob({
    metadata: {
      annotations: {
        [ANNOTATIONS.requestSha256]: 'x',
        [ANNOTATIONS.fileListBytes]: '9',
        [ANNOTATIONS.replayWebhook]: 'n',
      },
    },
    spec: { cancel: true, suspend: true },
    status: finishedAs('Cancelled'),
  });
  const again = zipJobAgain(first, NEW_UUID);

  it('copies the spec and file list of the first job, without cancel and suspend', () => {
    const { cancel: _cancel, suspend: _suspend, ...spec } = first.spec;
    expect(again.spec).to.deep.equal(spec);
    expect(again.status).to.equal(undefined);
  });

  it('copies neither annotations nor the record of a restore (F33)', () => {
    expect(again.metadata.annotations).to.deep.equal({ [ANNOTATIONS.runAgainOf]: NAME });
    const labels = { [LABELS.veleroRestore]: 'nightly' };
    const copied = zipJobAgain(aZipJob({ metadata: { labels } }), NEW_UUID).metadata.labels;
    expect(copied).to.deep.equal({ [LABELS.managedBy]: 'zipjobs-administration' });
    expect(again.metadata).not.to.have.any.keys('uid', 'resourceVersion', 'finalizers', 'ownerReferences');
  });

  it('copies only our labels and those of Kueue, so that no GitOps tool prunes the new job (UI32)', () => {
    const kept = {
      [LABELS.name]: 'zipjobs',
      [LABELS.component]: 'archive',
      [LABELS.partOf]: 'zipjobs',
      [LABELS.queueName]: 'night',
      'kueue.x-k8s.io/priority-class': 'low',
    };
    const labels = {
      ...kept,
      [LABELS.managedBy]: 'argocd',
      // By default, Argo CD tracks its objects by this label.
      [LABELS.instance]: 'archives',
      'argocd.argoproj.io/instance': 'archives',
      'kustomize.toolkit.fluxcd.io/name': 'archives',
      'kustomize.toolkit.fluxcd.io/namespace': 'flux-system',
      'helm.toolkit.fluxcd.io/name': 'archives',
      team: 'red',
    };
    expect(zipJobAgain(aZipJob({ metadata: { labels } }), NEW_UUID).metadata.labels).to.deep.equal({
      ...kept,
      [LABELS.managedBy]: 'zipjobs-administration',
    });
  });

  it('uses zip-<uuid> as name, or the first name with a new suffix', () => {
    function named(name: string): string {
      return zipJobAgain(aZipJob({ metadata: { name } }), NEW_UUID).metadata.name;
    }
    expect(again.metadata.name).to.equal(`zip-${NEW_UUID}`);
    expect(named('nightly')).to.equal('nightly-0f9d7a52');
    expect(named(`${'a'.repeat(42)}-${'b'.repeat(9)}`)).to.equal(`${'a'.repeat(42)}-0f9d7a52`);
    expect(named('c'.repeat(52))).to.have.length(MAX_ZIP_JOB_NAME_LENGTH);
  });

  it('is refused for a job that is running or whose file list was deleted', () => {
    expect(() => checkCanRunAgain(aZipJob({ status: running('p') }))).to.throw(/it is not finished/);
    const annotations = { [ANNOTATIONS.fileListDeletedAt]: ago(9) };
    expect(() =>
      checkCanRunAgain(aZipJob({ metadata: { annotations }, status: finishedAs('Failed') })),
    ).to.throw(/its file list was deleted/);
    expect(() => checkCanRunAgain(first)).not.to.throw();
  });
});

describe('listJobs', () => {
  const pages: readonly (readonly ZipJob[])[] = [
    [
      aZipJob({ metadata: { name: 'old', creationTimestamp: ago(900) }, spec: { key: 'a/1.zip' } }),
      aZipJob({
        metadata: {
          name: 'new',
          creationTimestamp: ago(10),
          annotations: { [ANNOTATIONS.createdBy]: 'ci-k7x2mq' },
        },
        spec: { key: 'a/2.zip' },
        status: running('p'),
      }),
    ],
    [
      aZipJob({
        metadata: { name: 'middle', creationTimestamp: ago(300) },
        spec: { key: 'b.zip' },
        status: finishedAs('Failed', { reason: 'SourceNotFound' }),
      }),
    ],
  ];
  const fieldSelectors: (string | undefined)[] = [];
  const kube: Pick<KubeClient, 'request'> = {
    request: ({ query = {} }) => {
      fieldSelectors.push(query['fieldSelector']?.toString());
      const page = query['continue'] === undefined ? 0 : 1;
      return Promise.resolve({ metadata: page === 0 ? { continue: 'more' } : {}, items: pages[page] });
    },
  };
  async function names(query: Partial<JobQuery>): Promise<readonly string[]> {
    const all = { phases: [], limit: 10, ...query };
    const { jobs } = await listJobs(kube as KubeClient, all, AbortSignal.timeout(5_000));
    return jobs.map(({ name }) => name);
  }

  it('returns the newest jobs of all pages and counts all matches', async () => {
    const { jobs, matching } = await listJobs(
      kube as KubeClient,
      { phases: [], limit: 2 },
      AbortSignal.timeout(5_000),
    );
    expect(jobs.map(({ name }) => name)).to.deep.equal(['new', 'middle']);
    expect(matching).to.equal(3);
  });

  it('filters by phase (none counts as Queued), by key and by age', async () => {
    expect(await names({ phases: ['Queued'] })).to.deep.equal(['old']);
    expect(await names({ phases: ['Failed', 'Running'] })).to.deep.equal(['new', 'middle']);
    expect(await names({ key: 'a/*' })).to.deep.equal(['new', 'old']);
    expect(await names({ key: 'b.zip' })).to.deep.equal(['middle']);
    expect(await names({ key: 'bxzip' })).to.deep.equal([]);
    expect(await names({ key: '*.zip' })).to.deep.equal(await names({}));
    expect(await names({ key: '*/*.z*p' })).to.deep.equal(['new', 'old']);
    expect(await names({ key: 'b*.zip' })).to.deep.equal(['middle']);
    for (const key of ['a/1.zip*.zip', 'b.zi*ip', '*b', 'zip*', ''])
      expect(await names({ key }), key).to.deep.equal([]);
    expect(
      await names({ createdAfter: new Date(ago(400)), createdBefore: new Date(ago(100)) }),
    ).to.deep.equal(['middle']);
  });

  it('filters by reason and by the token that created the job', async () => {
    expect(await names({ reasons: ['SourceNotFound', 'OutOfMemory'] })).to.deep.equal(['middle']);
    expect(await names({ reasons: ['OutOfMemory'] })).to.deep.equal([]);
    expect(await names({ createdBy: 'ci-k7x2mq' })).to.deep.equal(['new']);
    expect(await names({ createdBy: 'ci' })).to.deep.equal([]);
  });

  it('filters by bucket and phase on the API server', async () => {
    fieldSelectors.length = 0;
    await names({ phases: ['Queued'], bucket: { service: 's3', bucketName: 'archive' } });
    expect(fieldSelectors[0]).to.equal(
      'spec.bucketRef.name=s3-archive,status.phase!=Succeeded,status.phase!=Failed,status.phase!=Cancelled',
    );
  });
});
