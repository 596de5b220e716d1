import { expect } from 'chai';
import { toJob } from '#administration/jobs/job-view.ts';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import { failingFilesOf } from '#dashboard/jobs/failing-files.ts';
import { inlineSources, type KnownSources } from '#dashboard/jobs/known-sources.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { aSourceCheck } from '#test/support/builders/zip-job-statuses.ts';

function listed(status: ZipJobStatus, sources: KnownSources = new Map()) {
  return failingFilesOf(toJob(aZipJob({ status })), sources);
}

describe('failingFilesOf', () => {
  it('lists the failing files by their number from 1, with the cause in few words (Q-O7, Q-U8)', () => {
    const failing = listed({ phase: 'Failed', sourceCheck: aSourceCheck(137) });
    expect(failing?.rows).to.have.length(100);
    expect(failing?.rows.slice(0, 2)).to.deep.equal([
      { number: '1', filename: '', host: '', cause: '404 Not Found' },
      { number: '74', filename: '', host: '', cause: 'No connection' },
    ]);
    expect(failing).to.include({
      isNamed: false,
      summary:
        '137 of 3 files could not be downloaded. Of the others, 2 are 1.0 KiB in total. The first 100 are listed.',
    });
  });

  it('says how large the others are if all are known', () => {
    function summaryOf(change: Partial<ReturnType<typeof aSourceCheck>>) {
      return listed({ phase: 'Failed', sourceCheck: { ...aSourceCheck(1), checked: 3, ...change } })?.summary;
    }
    expect(summaryOf({ lengths: 2 })).to.equal(
      '1 of 3 files could not be downloaded. The other 2 are 1.0 KiB in total.',
    );
    expect(summaryOf({ failed: 2, lengths: 1 })).to.contain(' The other 1 has 1.0 KiB.');
    expect(summaryOf({ lengths: 1 })).to.contain(' Of the others, 1 has 1.0 KiB.');
    expect(summaryOf({ lengths: 0 })).to.equal('1 of 3 files could not be downloaded.');
  });

  it('says how many files could not be checked in time', () => {
    const sourceCheck = { ...aSourceCheck(1), checked: 2, lengths: 0 };
    expect(listed({ phase: 'Failed', sourceCheck })?.summary).to.equal(
      '1 of 3 files could not be downloaded. Only 2 could be checked in time.',
    );
  });

  it('lists names and hosts where they are known', () => {
    const sources = new Map([[73, { filename: 'b.txt', host: 'files.example' }]]);
    const failing = listed({ phase: 'Failed', sourceCheck: aSourceCheck(2) }, sources);
    expect(failing?.isNamed).to.equal(true);
    expect(failing?.rows.map(({ filename, host }) => [filename, host])).to.deep.equal([
      ['', ''],
      ['b.txt', 'files.example'],
    ]);
  });

  it('lists nothing if the other files were not checked', () => {
    expect(listed({ phase: 'Failed' })).to.equal(undefined);
  });
});

describe('inlineSources', () => {
  const files = [
    { url: 'https://user:SECRET@files.example:8443/a?sig=SECRET', filename: 'a' },
    { url: '', filename: 'b' },
    { url: 'data:text/plain,SECRET', filename: 'c' },
  ];
  const failures = [0, 1, 2, 9].map((fileIndex) => ({ fileIndex, code: 'SourceNotFound' }));
  const status = { phase: 'Failed', sourceCheck: { ...aSourceCheck(4), failures } } as const;

  it('knows name and host of each failing file, but nothing else of its URL', () => {
    expect([...inlineSources(aZipJob({ spec: { files }, status }))]).to.deep.equal([
      [0, { filename: 'a', host: 'files.example:8443' }],
      [1, { filename: 'b', host: '' }],
      [2, { filename: 'c', host: '' }],
    ]);
  });

  it('includes the file that ended the job', () => {
    const failure = { code: 'SourceTooLarge', fileIndex: 1, retriable: false };
    const known = inlineSources(aZipJob({ spec: { files }, status: { phase: 'Failed', failure } }));
    expect([...known.keys()]).to.deep.equal([1]);
  });

  it('knows nothing of a stored list', () => {
    expect(inlineSources(aZipJob({ status })).size).to.equal(0);
  });
});
