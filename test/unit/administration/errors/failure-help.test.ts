import { expect } from 'chai';
import { failureHelp, remedyFor } from '#administration/errors/failure-help.ts';
import { EXIT_CODES, FAILURE_CODES, isPermanentExit } from '#crds/exit-codes.ts';
import { FAILURE_FAULTS } from '#crds/job-failures.ts';

const REASONS = [...FAILURE_FAULTS.keys()];
const SENTENCES = /^[A-Za-z][^]*\.$/;

describe('failureHelp', () => {
  it('has plain words, a remedy and the use of a retry for every reason of a failure', () => {
    for (const reason of REASONS) {
      const help = failureHelp(reason);
      expect(help?.words, reason).to.match(SENTENCES);
      expect(help?.remedy, reason).to.match(SENTENCES);
      expect(help?.words, reason).to.not.contain('spec.');
    }
    expect(REASONS).to.not.be.empty;
  });

  it('recommends no immediate retry for a failure that the zipper reports as permanent', () => {
    const wrong = Object.entries(FAILURE_CODES)
      .filter(([code, { exit }]) => isPermanentExit(EXIT_CODES[exit]) && failureHelp(code)?.retry === 'now')
      .map(([code]) => code);
    expect(wrong).to.deep.equal([]);
  });

  it('names a way out of every failure that a rerun cannot fix', () => {
    const never = REASONS.filter((reason) => failureHelp(reason)?.retry === 'never');
    expect(never).to.have.members([
      'FileListMismatch',
      'SourceExpired',
      'InvalidFileList',
      'InvalidMetadata',
      'Deleted',
    ]);
    for (const reason of never) expect(remedyFor(reason), reason).to.match(/send the request again/i);
  });

  it('has none for other reasons', () => {
    for (const reason of ['BucketTested', 'Running', 'toString', '']) {
      expect(failureHelp(reason), reason).to.equal(undefined);
      expect(remedyFor(reason), reason).to.equal(null);
    }
  });
});
