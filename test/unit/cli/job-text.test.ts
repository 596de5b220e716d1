import { expect } from 'chai';
import { toJob } from '#administration/jobs/job-view.ts';
import { jobText } from '#cli/job-text.ts';
import type { Progress, ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import { ago, aZipJob } from '#test/support/builders/objects.ts';
import {
  aCondition,
  anUpload,
  aResult,
  aSourceCheck,
  finishedAs,
  progressOf,
  running,
} from '#test/support/builders/zip-job-statuses.ts';

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
      .and.to.match(/^Predicted size: +1\.0 KiB of 2 files$/m)
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

  it('shows how far a running job is, and when it will end', () => {
    const counts = {
      podUid: 'p',
      filesTotal: 2,
      filesDone: 1,
      display: '1/2',
      updatedAt: '2026-01-02T03:04:05Z',
    };
    function textAt(progress: Partial<Progress>): string {
      const bytes = { bytesRead: 1024, bytesUploaded: 512 };
      return textOf(
        aZipJob({ status: { phase: 'Running', progress: { ...counts, ...bytes, ...progress } } }),
      );
    }
    expect(textAt({})).to.match(/^Bytes: +1\.0 KiB read, 512 B uploaded$/m);
    expect(textAt({ bytesKnown: 2048 })).to.match(
      /^Bytes: +1\.0 KiB of at least 2\.0 KiB read, 512 B uploaded$/m,
    );
    expect(textAt({ bytesTotal: 3072, estimatedEndAt: '2026-01-02T03:05:00Z' }))
      .to.match(/^Bytes: +1\.0 KiB of 3\.0 KiB \(33 %\) read, 512 B uploaded$/m)
      .and.to.match(/^Expected end: +2026-01-02T03:05:00Z$/m);
  });

  describe('of a job whose upload is kept', () => {
    const first = {
      n: 1,
      podUid: 'uid-p1',
      startedAt: ago(40),
      finishedAt: ago(30),
      class: 'disruption',
      upload: anUpload('open'),
    } as const;
    const inherits = {
      uploadId: 'upload-1',
      owner: 'uid-p1',
      partSize: 8_388_608,
      checkpoint: 3,
      resumes: 0,
    };

    function textAt(status: ZipJobStatus): string {
      return textOf(aZipJob({ status: { ...running('p2', { attempts: [first], inherits }), ...status } }));
    }

    it('says what the next or the active pod continues, or why it does not', () => {
      const { job: _job, ...between } = running('p2', { attempts: [first], inherits });
      expect(textOf(aZipJob({ status: between }))).to.match(
        /^Upload: +Waits for the next pod; the upload of attempt 1 is kept$/m,
      );
      expect(textAt({ progress: progressOf('uid-p1') })).to.match(
        /^Upload: +Verifies the upload of attempt 1$/m,
      );
      const upload = { ...anUpload('open'), resumedParts: 1, resumedBytes: 5_242_880 };
      expect(textAt({ upload })).to.match(
        /^Upload: +Continues the upload of attempt 1: 1 part, 5\.0 MiB kept$/m,
      );
      expect(textAt({ upload: { ...anUpload('open'), refusal: 'OtherPlan' } })).to.match(
        /^Upload: +Does not continue the upload of attempt 1: The checkpoint is of another plan/m,
      );
    });

    it('says what each attempt kept, and how often the archive was resumed', () => {
      const attempts = [first, { ...first, n: 2, resumedParts: 3, resumedBytes: 1_024 }];
      const text = textOf(
        aZipJob({ status: finishedAs('Succeeded', { attempts, result: aResult({ resumes: 2 }) }) }),
      );
      expect(text)
        .to.match(/ Attempt 2 started +Continued: 3 parts, 1\.0 KiB kept$/m)
        .and.to.match(/^Resumed: +2 times$/m)
        .and.not.to.match(/^Upload:/m);
    });

    it('adds nothing to a job that never resumed', () => {
      expect(textOf(aZipJob({ status: running('p1', { upload: anUpload('open') }) }))).not.to.match(
        /^Upload:/m,
      );
      expect(textOf(aZipJob({ status: finishedAs('Succeeded', { result: aResult() }) }))).not.to.match(
        /Resumed|ontinue/,
      );
    });
  });

  it('adds nothing to a job whose sources were not checked', () => {
    expect(textOf(aZipJob({ status: finishedAs('Failed') }))).not.to.match(/Failing files|^FILE/m);
  });

  it('says each thing once, the outcome first, and conditions only on request (Q-C15)', () => {
    const message = 'file 1: the source responded with status 404';
    const failure = { code: 'SourceNotFound', message, fileIndex: 1, httpStatus: 404, retriable: false };
    const status = finishedAs('Failed', {
      reason: 'SourceNotFound',
      message,
      failure,
      attempts: [
        {
          n: 1,
          podUid: 'p',
          startedAt: ago(9),
          finishedAt: ago(8),
          class: 'permanent',
          exitCode: 12,
          message,
        },
      ],
      conditions: [aCondition('Failed', ['True', 'SourceNotFound'], { message })],
    });
    const job = toJob(aZipJob({ status }));
    const text = jobText(job);
    expect(
      text
        .split('\n')
        .map((line) => line.split(':', 1)[0])
        .slice(0, 6),
    ).to.deep.equal(['ID', 'Key', 'Phase', 'Failure', 'Why', 'Message']);
    expect(text.split(message)).to.have.length(2);
    expect(text).to.match(/Attempt 1 finished +permanent, exit code 12$/m);
    expect(text).not.to.match(/^(Job|Reason):/m);
    const verbose = jobText(job, { isVerbose: true });
    expect(verbose)
      .to.match(/ Failed +SourceNotFound: file 1/)
      .and.to.match(/^ZipJob: +zip-/m);
  });

  it('names the ZipJob if its name does not follow from the ID (Q-C15)', () => {
    expect(textOf(aZipJob({ metadata: { name: 'nightly' } }))).to.match(/^ZipJob: +nightly$/m);
  });

  it('counts one file in the singular (Q-C15)', () => {
    const result = { bytes: 1024, entries: 1, etag: '"x"', finishedAt: ago(1) };
    expect(textOf(aZipJob({ status: finishedAs('Succeeded', { result: result as never }) }))).to.match(
      /^Archive: +1\.0 KiB, 1 file$/m,
    );
  });
});
