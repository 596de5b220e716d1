import { expect } from 'chai';
import { failureHelp } from '#administration/errors/failure-help.ts';
import { toJob } from '#administration/jobs/job-view.ts';
import { ANNOTATIONS } from '#crds/api-group.ts';
import { FAILURE_FAULTS } from '#crds/job-failures.ts';
import type { ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import { failurePanel, rerunAdvice } from '#dashboard/jobs/job-failure.ts';
import { inlineSources } from '#dashboard/jobs/known-sources.ts';
import { NO_RERUNS, type Rerun } from '#dashboard/jobs/reruns.ts';
import { ago, aZipJob } from '#test/support/builders/objects.ts';
import { finishedAs } from '#test/support/builders/zip-job-statuses.ts';

describe('failurePanel', () => {
  const files = [{ url: 'https://files.example/?sig=SECRET', filename: 'a.txt' }];
  function panelOf(status: ZipJobStatus, ofFiles = files) {
    const zipJob = aZipJob({ spec: { files: ofFiles }, status });
    return failurePanel(toJob(zipJob), inlineSources(zipJob), { isArchived: false });
  }
  const failure = {
    code: 'SourceNotFound',
    message: 'file 0: https://x/y?sig=SECRET responded with 404',
    fileIndex: 0,
    httpStatus: 404,
    retriable: false,
  };

  it('names the cause, the host, the file by its number from 1 and the remedy, but no URL (Q-O7, Q-U28)', () => {
    expect(panelOf(finishedAs('Failed', { failure }))).to.deep.equal({
      code: 'SourceNotFound',
      cause: 'files.example responded with 404 for a.txt (file 1 of 3).',
      remedy:
        'Open the URL to see what it returns, or check that the bucket has an object with this key. Correct the URL, and send the request again.',
      host: 'files.example',
      message: 'https://x/y?[redacted] responded with 404',
    });
  });

  it('names the bucket of a file that is an object, and not its key (Q-O7)', () => {
    const objects = [{ url: 's3://reports/SECRET', filename: 'a.txt' }];
    expect(panelOf(finishedAs('Failed', { failure }), objects)).to.include({
      cause: 'Bucket reports (s3) responded with 404 for a.txt (file 1 of 3).',
      host: 'bucket reports (s3)',
    });
    const hosted = [{ url: 'https://bucket.example/', filename: 'a.txt' }];
    expect(panelOf(finishedAs('Failed', { failure }), hosted)?.cause).to.match(/^bucket\.example responded/);
    const refused = { reason: 'SourceInvalid', failure: { ...failure, code: 'SourceInvalid' } };
    expect(panelOf(finishedAs('Failed', refused), objects)?.cause).to.equal(
      'Bucket reports (s3) did not respond with the content of a.txt (file 1 of 3).',
    );
  });

  it('names only the number of the file to a user who may not read the file list (Q-O7)', () => {
    const job = toJob(aZipJob({ status: finishedAs('Failed', { failure: { ...failure, fileIndex: 2 } }) }));
    expect(failurePanel(job, new Map(), { isArchived: false })).to.include({
      cause: 'The server responded with 404 Not Found for file 3 of 3.',
      host: '',
    });
  });

  it('says nothing twice: neither the status, nor the index from 0, nor the code (Q-U8)', () => {
    function messageOf(message: string, more: Partial<typeof failure> = {}) {
      return panelOf(finishedAs('Failed', { failure: { ...failure, message, ...more } }))?.message;
    }
    expect(messageOf('file 0: the source responded with status 404')).to.equal('');
    expect(messageOf('file 0: the source responded with status 404 (NoSuchKey)')).to.equal(
      'the source responded with status 404 (NoSuchKey)',
    );
    expect(panelOf(finishedAs('Failed', { reason: 'Internal', message: 'Internal' }))?.message).to.equal('');
    const { words } = failureHelp('Internal') ?? { words: '' };
    expect(panelOf(finishedAs('Failed', { reason: 'Internal', message: words }))?.message).to.equal('');
  });

  it('does not blame the file of an earlier failure for the verdict of the controller', () => {
    const panel = panelOf(finishedAs('Failed', { reason: 'DeadlineExceeded', message: 'too late', failure }));
    expect(panel).to.include({
      cause: 'The job did not finish within its time limit.',
      host: '',
      message: 'too late',
    });
  });

  it('shows the code and message of a reason that this version does not know', () => {
    expect(panelOf(finishedAs('Failed', { reason: 'Unheard', message: 'why' }))).to.deep.include({
      code: 'Unheard',
      cause: 'Unheard',
      remedy: '',
      message: 'why',
    });
  });

  it('asks for a new request where the file list is gone, for every reason', () => {
    const filesFrom = {
      secretNames: ['a'],
      count: 3,
      bytes: 9,
      sha256: 'x',
      encoding: 'gzip+json',
    } as const;
    const annotations = { [ANNOTATIONS.fileListDeletedAt]: ago(9) };
    for (const reason of FAILURE_FAULTS.keys()) {
      const status = finishedAs('Failed', { reason });
      const kept = aZipJob({ spec: { filesFrom }, status });
      function remedyOf(zipJob: ZipJob, isArchived: boolean): string {
        return failurePanel(toJob(zipJob), new Map(), { isArchived })?.remedy ?? 'no panel';
      }
      const wanted = remedyOf(kept, false)
        .replace('Run the job again', 'Send the request again')
        .replace('run the job again', 'send the request again');
      const deleted = aZipJob({ metadata: { annotations }, spec: { filesFrom }, status });
      for (const remedy of [remedyOf(deleted, false), remedyOf(kept, true)]) {
        expect(remedy, reason).to.equal(wanted);
        expect(remedy, reason).to.not.match(/run the job again|try again/i);
      }
    }
  });

  it('is absent from other jobs', () => {
    expect(panelOf(finishedAs('Succeeded', { failure }))).to.equal(undefined);
    expect(panelOf({ phase: 'Running', failure })).to.equal(undefined);
  });
});

describe('rerunAdvice', () => {
  function adviceOn(reason: string, rows: readonly Partial<Rerun>[] = []) {
    return rerunAdvice(
      { phase: 'Failed', reason, failure: null },
      { rows: rows as readonly Rerun[], more: 0 },
    );
  }

  it('recommends a rerun where it can help', () => {
    const advice = { next: 'run-again', canHelp: true, note: '' };
    expect(adviceOn('SourceUnavailable')).to.deep.equal(advice);
    expect(adviceOn('Unheard')).to.deep.equal(advice);
    expect(rerunAdvice({ phase: 'Cancelled', reason: 'Cancelled', failure: null }, NO_RERUNS)).to.deep.equal(
      advice,
    );
  });

  it('recommends a new job where only another request helps (Q-U9)', () => {
    expect(adviceOn('SourceExpired')).to.deep.equal({
      next: 'new-job',
      canHelp: false,
      note: 'A rerun sends the same request, so it would fail in the same way. Send a new request instead.',
    });
    expect(adviceOn('SourceNotFound')).to.deep.equal({
      next: 'new-job',
      canHelp: true,
      note: 'Running it again sends the same request. Fix the cause first.',
    });
  });

  it('recommends neither before the cause is fixed elsewhere', () => {
    expect(adviceOn('BucketAccessDenied')).to.deep.equal({
      next: undefined,
      canHelp: true,
      note: 'Running it again sends the same request. Fix the cause first.',
    });
  });

  it('does not recommend another rerun while one runs or after one has succeeded', () => {
    const failed = { phase: 'Failed', isFinished: true } as const;
    expect(adviceOn('SourceUnavailable', [failed]).next).to.equal('run-again');
    expect(adviceOn('SourceUnavailable', [failed, { phase: 'Running', isFinished: false }])).to.deep.equal({
      next: undefined,
      canHelp: true,
      note: 'A rerun of this job is in progress.',
    });
    expect(adviceOn('SourceNotFound', [{ phase: 'Succeeded', isFinished: true }, failed])).to.deep.equal({
      next: undefined,
      canHelp: true,
      note: 'A rerun of this job has succeeded.',
    });
  });

  it('knows for each reason whether the request must change', () => {
    const changes = [...FAILURE_FAULTS.keys()].filter((reason) => adviceOn(reason).next === 'new-job');
    for (const reason of changes)
      expect(failureHelp(reason)?.remedy, reason).to.match(/request|another URL|another key/);
  });

  it('says nothing about jobs that need no rerun', () => {
    for (const phase of ['Succeeded', 'Running'] as const)
      expect(rerunAdvice({ phase, reason: 'Uploaded', failure: null }, NO_RERUNS)).to.deep.equal({
        next: undefined,
        canHelp: true,
        note: '',
      });
  });
});
