import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { keptByAttemptText, keptUpload, keptUploadText } from '#administration/jobs/kept-upload.ts';
import { RESUME_REFUSALS, type ResumeRefusal } from '#crds/zip-job.ts';
import { anUpload, running } from '#test/support/builders/zip-job-statuses.ts';

const REFUSALS = Object.keys(RESUME_REFUSALS) as readonly ResumeRefusal[];

describe('keptUpload', () => {
  const inherits = { uploadId: 'upload-1', owner: 'uid-p1', partSize: 8_388_608, checkpoint: 3, resumes: 0 };

  it('does not take the upload of an earlier pod for that of the active one', () => {
    const upload = { ...anUpload('open'), refusal: 'UploadGone' } as const;
    const { progress } = running('p1');
    expect(
      keptUpload({ ...running('p2', { upload, inherits }), ...(progress && { progress }) }),
    ).to.deep.equal({ state: 'verifying', attempt: null });
  });

  it('is undefined for a job that ends, whose upload is aborted', () => {
    const { job: _job, ...between } = running('p1', { inherits });
    for (const phase of ['Finalizing', 'Failed', 'Cancelled'] as const)
      expect(keptUpload({ ...between, phase })).to.equal(undefined);
  });
});

describe('keptUploadText', () => {
  it('names no number of an attempt that is no longer recorded', () => {
    expect(keptUploadText({ state: 'continued', attempt: null, resumedParts: 1 })).to.equal(
      'Continues the upload of an earlier attempt: 1 part kept',
    );
  });
});

describe('keptByAttemptText', () => {
  it('has the sentence of each refusal', () => {
    for (const refusal of REFUSALS)
      expect(keptByAttemptText({ n: 2, podUid: 'p', refusal })).to.equal(
        `Not continued: ${RESUME_REFUSALS[refusal]}`,
      );
  });
});

describe('docs/on-call.md', () => {
  it('explains every refusal, and what to do', async () => {
    const rows = (await readFile('docs/on-call.md', 'utf8')).split('\n');
    for (const refusal of REFUSALS)
      expect(rows.filter((row) => row.startsWith(`| \`${refusal}\` | `))).to.have.length(1);
  });
});
