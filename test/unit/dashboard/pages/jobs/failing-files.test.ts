import { expect } from 'chai';
import { toJob } from '#administration/job-view.ts';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import { failingFilesOf } from '#dashboard/pages/jobs/failing-files.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { aSourceCheck } from '#test/support/builders/zip-job-statuses.ts';

const listed = (status: ZipJobStatus) => failingFilesOf(toJob(aZipJob({ status })));

describe('failingFilesOf', () => {
  it('lists the failing files with the reason in words and their number', () => {
    const failing = listed({ phase: 'Failed', sourceCheck: aSourceCheck(137) });
    expect(failing?.rows).to.have.length(100);
    expect(failing?.rows.slice(0, 2)).to.deep.equal([
      {
        index: '0',
        filename: '',
        reason: 'A source responded with a status that a retry does not change.',
        httpStatus: '404',
      },
      { index: '73', filename: '', reason: 'A source could not be reached.', httpStatus: '' },
    ]);
    expect(failing).to.include({
      isNamed: false,
      summary:
        '137 of 3 files cannot be downloaded. 2 of the others declare 1.0 KiB in all. The first 100 are listed.',
    });
  });

  it('says how many files could not be checked in time', () => {
    const sourceCheck = { ...aSourceCheck(1), checked: 2, lengths: 0 };
    expect(listed({ phase: 'Failed', sourceCheck })?.summary).to.equal(
      '1 of 3 files cannot be downloaded. Only 2 could be checked in time.',
    );
  });

  it('lists nothing if the other files were not checked', () => {
    expect(listed({ phase: 'Failed' })).to.equal(undefined);
  });
});
