import { expect } from 'chai';
import { toJob } from '#administration/jobs/job-view.ts';
import { jobText } from '#cli/job-text.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { aSourceCheck, finishedAs } from '#test/support/builders/zip-job-statuses.ts';

describe('jobText', () => {
  function withFailures(count: number): ZipJob {
    return aZipJob({ status: finishedAs('Failed', { sourceCheck: aSourceCheck(count) }) });
  }
  function textOf(job: ZipJob): string {
    return jobText(toJob(job));
  }

  it('lists the failing files with reason and HTTP status, and the number of all', () => {
    const text = textOf(withFailures(137));
    expect(text)
      .to.match(/^Failing files: +137 of 3, 10000 checked$/m)
      .and.to.match(/^Predicted size: +1\.0 KiB, 2 files$/m)
      .and.to.match(/^FILE +HTTP +CODE +REASON$/m)
      .and.to.match(/^0 +404 +SourceNotFound +A source does not have the file, or refused to send it\.$/m)
      .and.to.match(/^73 +- +SourceUnreachable +zipjobs could not connect to a source\.$/m)
      .and.to.match(/^and 37 more$/m);
    expect(text.match(/Source(NotFound|Unreachable) {2}/g)).to.have.length(100);
  });

  it('shows the names of the files if the job contains them', () => {
    const job = withFailures(1);
    const { filesFrom: _filesFrom, ...spec } = job.spec;
    const files = [{ url: 'https://files.example.com/a', filename: 'a.txt' }];
    expect(textOf({ ...job, spec: { ...spec, files } }))
      .to.match(/^FILE +NAME +HTTP +CODE +REASON$/m)
      .and.to.match(/^0 +a\.txt +404 +SourceNotFound/m);
  });

  it('says why a job failed and what to do next, also without a failure of the zipper', () => {
    const status = finishedAs('Failed', { reason: 'OutOfMemory' });
    expect(textOf(aZipJob({ status })))
      .to.match(/^Failure: +OutOfMemory$/m)
      .and.to.match(/^Why: +The zipper ran out of memory twice\.$/m)
      .and.to.match(/^Next step: +Ask your administrator to raise the memory limit/m);
    expect(textOf(aZipJob({ status: finishedAs('Succeeded') }))).not.to.match(/^(Failure|Why|Next step):/m);
  });

  it('names the failing file only of the failure that ended the job', () => {
    function textFor(code: string): string {
      const failure = { code, fileIndex: 1, httpStatus: 503, retriable: true };
      return textOf(aZipJob({ status: finishedAs('Failed', { reason: 'DeadlineExceeded', failure }) }));
    }
    expect(textFor('DeadlineExceeded')).to.match(/^HTTP status: +503$/m);
    expect(textFor('SourceUnavailable'))
      .to.match(/^Failure: +DeadlineExceeded$/m)
      .and.not.to.match(/^(Failing file|HTTP status):/m);
  });

  it('adds nothing to a job whose sources were not checked', () => {
    expect(textOf(aZipJob({ status: finishedAs('Failed') }))).not.to.match(/Failing files|^FILE/m);
  });
});
