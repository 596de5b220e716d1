import { expect } from 'chai';
import { failureCause, shortCause } from '#administration/errors/failure-cause.ts';
import { FAILURE_FAULTS } from '#crds/job-failures.ts';

const FILE = { code: 'SourceNotFound', fileIndex: 7, httpStatus: 404 };
const source = { filename: 'photo-8.jpg', host: 'photos.example.com' };
const SOURCES = [...FAILURE_FAULTS.keys()].filter((code) => code.startsWith('Source'));
/** About the proxy, or about a bucket before a file was requested. */
const NOT_ABOUT_FILES: readonly string[] = [
  'SourceProxyAuthenticationRequired',
  'SourceBucketNotReadable',
  'SourceBucketDeleted',
];
const ABOUT_FILES = SOURCES.filter((code) => !NOT_ABOUT_FILES.includes(code));

describe('failureCause', () => {
  it('names host, file and its number from 1 for a user who may read the file list (Q-O7)', () => {
    expect(failureCause(FILE, { files: 12, source })).to.equal(
      'photos.example.com responded with 404 for photo-8.jpg (file 8 of 12).',
    );
  });

  it('names only the number of the file for other users (Q-O7)', () => {
    expect(failureCause(FILE, { files: 12 })).to.equal(
      'The server responded with 404 Not Found for file 8 of 12.',
    );
  });

  it('has a sentence for every code of a source, with and without names and a status', () => {
    for (const code of ABOUT_FILES)
      for (const httpStatus of [null, 503])
        for (const named of [{ files: 12, source }, { files: 12 }]) {
          const text = failureCause({ code, fileIndex: 7, httpStatus }, named) ?? '';
          expect(text, code).to.match(/\bfile 8 of 12\b.*\.$/i);
          expect(text, code).to.match(/^(?:[A-Z]|zipjobs |photo)/);
          expect(text.includes('photo-8.jpg'), code).to.equal('source' in named);
          expect(text, code).to.not.match(/\bthe server\b.*\bthe server\b/i);
        }
  });

  it('says nothing about a failure that is not about a file', () => {
    expect(failureCause({ ...FILE, code: 'BucketNotFound' }, { files: 12 })).to.equal(undefined);
    expect(failureCause({ ...FILE, code: 'Unheard' }, { files: 12 })).to.equal(undefined);
  });

  it('keeps a name from changing the order of the words around it', () => {
    const filename = 'a\u202Egpj.exe';
    expect(failureCause(FILE, { files: 12, source: { ...source, filename } })).to.contain(
      `\u2068${filename}\u2069 (file 8 of 12)`,
    );
  });
});

describe('shortCause', () => {
  it('has the status in words, or the cause in few words', () => {
    expect(shortCause(FILE)).to.equal('404 Not Found');
    expect(shortCause({ code: 'SourceExpired', httpStatus: 403 })).to.equal(
      'Signed URL expired (403 Forbidden)',
    );
    expect(shortCause({ code: 'SourceUnreachable', httpStatus: null })).to.equal('No connection');
    expect(shortCause({ code: 'Unheard', httpStatus: 599 })).to.equal('Unheard (599)');
  });

  it('has at most five words for every code that is about a file', () => {
    for (const code of ABOUT_FILES)
      expect(shortCause({ code, httpStatus: null }).split(' ').length, code).to.be.at.most(5);
  });
});
