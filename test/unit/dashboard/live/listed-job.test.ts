import { expect } from 'chai';
import { reasonOf, toListedJob } from '#dashboard/live/listed-job.ts';
import { ago, aZipJob } from '#test/support/builders/objects.ts';
import { aResult } from '#test/support/builders/zip-job-statuses.ts';

function delivery(at: string) {
  return { at, durationMs: 1, status: 200 };
}

describe('toListedJob', () => {
  it('keeps only the fields that lists show', () => {
    const { status, files, spec } = toListedJob(
      aZipJob({
        spec: { bucketRef: { name: 's3-a' }, key: 'a.zip' },
        status: {
          phase: 'Failed',
          reason: 'SourceNotFound',
          startedAt: ago(9),
          message: 'a long text',
          conditions: [],
          attempts: [],
          result: aResult({ bytes: 7, skipped: [1, 2] }),
          failure: { code: 'SourceNotFound', message: 'a long text', retriable: false },
        },
      }),
    );
    expect({ status, files, spec }).to.deep.equal({
      status: {
        phase: 'Failed',
        reason: 'SourceNotFound',
        startedAt: ago(9),
        result: { bytes: 7 },
        failure: { code: 'SourceNotFound' },
      },
      files: 3,
      spec: { bucketRef: { name: 's3-a' }, key: 'a.zip' },
    });
  });

  it('keeps the name of the token that created the job', () => {
    const metadata = { annotations: { 'zipjobs.dev/created-by': 'shop' } };
    expect(toListedJob(aZipJob({ metadata })).createdBy).to.equal('shop');
    expect(toListedJob(aZipJob())).to.not.have.property('createdBy');
  });

  it('keeps the last delivery of a webhook', () => {
    const log = [delivery('2026-01-01T00:00:00Z'), delivery('2026-01-01T00:00:01Z')];
    const { status } = toListedJob(aZipJob({ status: { webhook: { state: 'Delivered', log } } }));
    expect(status).to.deep.equal({ webhook: { state: 'Delivered', log: log.slice(1) } });
  });
});

describe('reasonOf', () => {
  for (const [status, reason] of [
    [{ phase: 'Queued', reason: 'SlotsTaken' }, 'SlotsTaken'],
    [{ phase: 'Queued', reason: 'Queued' }, ''],
    [{ reason: 'Suspended' }, 'Suspended'],
    [{ phase: 'Starting', reason: 'JobCreated' }, ''],
    [{ phase: 'Running', reason: 'Running' }, ''],
    [{ phase: 'Running', reason: 'NoProgress' }, 'NoProgress'],
    [{ phase: 'Running', reason: 'NodeSilent' }, 'NodeSilent'],
    [{ phase: 'Running', reason: 'Unschedulable', failure: { code: 'Terminated' } }, 'Unschedulable'],
    [{ phase: 'Starting', reason: 'ImagePull', failure: { code: 'Terminated' } }, 'ImagePull'],
    [{ phase: 'Running', reason: 'PodStarting', failure: { code: 'Terminated' } }, 'Terminated'],
    [{ phase: 'Finalizing', reason: 'Cancelled' }, 'Cancelled'],
    [{ phase: 'Finalizing', reason: 'VerifiedInStore', failure: { code: 'Terminated' } }, ''],
    [{ phase: 'Succeeded', reason: 'Uploaded' }, ''],
    [{ phase: 'Starting', reason: 'PodStarting', failure: { code: 'Terminated' } }, 'Terminated'],
    [{ phase: 'Failed', reason: 'DeadlineExceeded', failure: { code: 'Terminated' } }, 'DeadlineExceeded'],
    [{ phase: 'Failed', reason: 'Unheard', failure: { code: 'SourceNotFound' } }, 'SourceNotFound'],
    [{ phase: 'Cancelled', reason: 'Cancelled' }, ''],
    [{ phase: 'Cancelled', reason: 'Cancelled', failure: { code: 'Terminated' } }, ''],
    [{ phase: 'Cancelled', reason: 'Deleted' }, 'Deleted'],
  ] as const)
    it(`is ${JSON.stringify(reason)} for ${JSON.stringify(status)}`, () => {
      expect(reasonOf({ status })).to.equal(reason);
    });
});
