import { expect } from 'chai';
import { assertSourceBuckets, inlineFiles, parseTask } from '#zipper-image/tasks/task.ts';

const bucket = { service: 's3', name: 'bucket', region: 'eu-central-1' };
const archive = {
  contractVersion: 1,
  mode: 'archive',
  bucket,
  namespace: 'shop',
  zipJob: 'zip-1',
  zipJobUid: 'uid-1',
  key: 'a.zip',
  compression: 'auto',
  onConflict: 'replace',
  defaultModificationTime: '2026-01-02T03:04:05Z',
  files: { from: 'mounted', chunks: 1, count: 3, sha256: 'ab' },
  startDeadlineSeconds: 600,
  activeDeadlineSeconds: 3600,
};
const recover = {
  contractVersion: 1,
  mode: 'recover',
  bucket,
  zipJobUid: 'uid-1',
  key: 'k',
  attempt: 'p',
  since: '2026-01-02T03:04:05Z',
  endedAt: '2026-01-02T03:14:05Z',
  endedAgeSeconds: 2,
};

describe('parseTask', () => {
  for (const [name, task] of Object.entries({
    archive,
    'archive with inline files': { ...archive, files: { from: 'inline', count: 1 } },
    recover: { ...recover, uploadState: 'open', uploadId: 'u' },
    'recover without a recorded upload': { ...recover, uploadState: 'unrecorded' },
    'recover with the size of the archive': { ...recover, uploadState: 'unrecorded', bytes: 5 },
    'check-bucket': { contractVersion: 1, mode: 'check-bucket', bucket },
    'fields of a later release': { ...archive, later: true },
  }))
    it(`accepts ${name}`, () => expect(parseTask(JSON.stringify(task))).to.deep.equal(task));

  for (const [name, text] of Object.entries({
    'invalid JSON': '{',
    'a space that JSON does not need': JSON.stringify(archive).replace(':', ': '),
    'an escape that JSON does not need': JSON.stringify(archive).replace('archive', String.raw`archiv\u0065`),
    'a field twice': JSON.stringify(archive).replace('{', '{"mode":"recover",'),
    'another version': JSON.stringify({ ...archive, contractVersion: 2 }),
    'an unknown mode': JSON.stringify({ ...archive, mode: 'print' }),
    'a missing field': JSON.stringify({ ...archive, key: undefined }),
    'a mounted list without a digest': JSON.stringify({
      ...archive,
      files: { from: 'mounted', chunks: 1, count: 3 },
    }),
    'an invalid time': JSON.stringify({ ...archive, fixedModificationTime: 'yesterday' }),
    'an open upload without its ID': JSON.stringify({ ...recover, uploadState: 'open' }),
    null: 'null',
  }))
    it(`refuses ${name}`, () => {
      expect(() => parseTask(text))
        .to.throw()
        .with.property('code', 'InvalidTask');
    });
});

describe('inlineFiles', () => {
  const files = [{ url: 'https://a/', filename: 'a' }];
  const metadata = { uid: 'uid-1' };

  it('reads the files of a ZipJob', () => {
    expect(inlineFiles({ metadata, spec: { files } }, 1)).to.deep.equal(files);
  });

  it('reads what a ZipJob states about its files (FD10)', () => {
    const stated = { size: 0, sha256: 'a'.repeat(64), crc32: '0123abcd', contentType: 'text/plain' };
    const spec = { files: [{ ...files[0]!, ...stated }] };
    expect(inlineFiles({ metadata, spec }, 1)).to.deep.equal(spec.files);
  });

  it('refuses another number of files, and a ZipJob without any', () => {
    for (const spec of [{ files }, {}])
      expect(() => inlineFiles({ metadata, spec }, 2))
        .to.throw()
        .with.property('code', 'InvalidTask');
  });
});

describe('the buckets of files in a task', () => {
  const metadata = { uid: 'uid-1' };
  function check(sourceBuckets: readonly object[], listed?: readonly string[]): void {
    const task = parseTask(JSON.stringify({ ...archive, sourceBuckets }));
    if (task.mode !== 'archive') throw new Error('the task is no archive');
    assertSourceBuckets(task, { metadata, spec: listed ? { sourceBuckets: listed } : {} });
  }
  const files = { zipBucket: 's3-files', service: 's3', name: 'files' };

  it('are those of the ZipJob, or fewer (SB6)', () => {
    check([files], ['r2-more', 's3-files']);
    check([]);
  });

  for (const [what, bucket, listed] of [
    ['that the ZipJob does not list', files, ['s3-other']],
    ['of a ZipJob that lists none', files, undefined],
    ['that has the name of a listed one for another bucket', { ...files, name: 'private' }, ['s3-files']],
  ] as const)
    it(`cannot include one ${what} (SB6)`, () => {
      expect(() => check([bucket], listed))
        .to.throw('spec.sourceBuckets')
        .with.property('code', 'InvalidTask');
    });
});
