import { expect } from 'chai';
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
  function panelOf(status: ZipJobStatus) {
    const zipJob = aZipJob({ spec: { files }, status });
    return failurePanel(toJob(zipJob), inlineSources(zipJob), { isArchived: false });
  }
  const failure = {
    code: 'SourceNotFound',
    message: 'file 0: https://x/y?sig=SECRET responded with 404',
    fileIndex: 0,
    httpStatus: 404,
    retriable: false,
  };

  it('has the reason in plain words, the file and the remedy, but no query of a URL', () => {
    expect(panelOf(finishedAs('Failed', { failure }))).to.deep.equal({
      code: 'SourceNotFound',
      words: 'A source does not have the file, or refused to send it.',
      remedy: 'Check the response of the URL, correct the URL, and send the request again.',
      file: {
        index: '0',
        filename: 'a.txt',
        host: 'files.example',
        reason: 'A source does not have the file, or refused to send it.',
        httpStatus: '404',
      },
      message: 'file 0: https://x/y?[redacted] responded with 404',
    });
  });

  it('does not blame the file of an earlier failure for the verdict of the controller', () => {
    const panel = panelOf(finishedAs('Failed', { reason: 'DeadlineExceeded', message: 'too late', failure }));
    expect(panel).to.include({ code: 'DeadlineExceeded', file: undefined, message: 'too late' });
  });

  it('shows the code and message of a reason that this version does not know', () => {
    expect(panelOf(finishedAs('Failed', { reason: 'Unheard', message: 'why' }))).to.deep.include({
      code: 'Unheard',
      words: '',
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
    expect(adviceOn('SourceUnavailable')).to.deep.equal({ isPrimary: true, note: '' });
    expect(adviceOn('Unheard')).to.deep.equal({ isPrimary: true, note: '' });
  });

  it('gives the reason where it cannot, or not yet', () => {
    expect(adviceOn('BucketAccessDenied')).to.deep.equal({
      isPrimary: false,
      note: 'A rerun sends the same request to the same bucket, so it helps only after the cause is fixed.',
    });
    expect(adviceOn('SourceExpired').note).to.contain('Send a new request instead.');
  });

  it('does not recommend another rerun while one runs or after one has succeeded', () => {
    const failed = { phase: 'Failed', isFinished: true } as const;
    expect(adviceOn('SourceUnavailable', [failed]).isPrimary).to.equal(true);
    expect(adviceOn('SourceUnavailable', [failed, { phase: 'Running', isFinished: false }])).to.deep.equal({
      isPrimary: false,
      note: 'A rerun of this job is in progress.',
    });
    expect(adviceOn('SourceUnavailable', [{ phase: 'Succeeded', isFinished: true }, failed])).to.deep.equal({
      isPrimary: false,
      note: 'A rerun of this job has succeeded.',
    });
  });

  it('says nothing about jobs that did not fail', () => {
    for (const phase of ['Succeeded', 'Cancelled', 'Running'] as const)
      expect(rerunAdvice({ phase, reason: 'Cancelled', failure: null }, NO_RERUNS)).to.deep.equal({
        isPrimary: false,
        note: '',
      });
  });
});
