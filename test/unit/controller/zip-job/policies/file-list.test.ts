import { expect } from 'chai';
import { fileListFault } from '#controller/zip-job/policies/admission.ts';
import { ANNOTATIONS } from '#crds/api-group.ts';
import type { FilesFrom, ZipJob } from '#crds/zip-job.ts';
import { ago, aZipJob, NAME } from '#test/support/builders/objects.ts';
import { finishedAs } from '#test/support/builders/zip-job-statuses.ts';

function listOf({ spec: { filesFrom } }: ZipJob): FilesFrom {
  if (!filesFrom) throw new Error('the builder makes no list');
  return filesFrom;
}

describe('fileListFault', () => {
  const first = aZipJob({ status: finishedAs('Failed') });
  const filesFrom = listOf(first);
  const again = aZipJob({ metadata: { name: 'again' } });
  function fault(owner: ZipJob | undefined, wanted: Partial<FilesFrom> = {}) {
    return fileListFault(again, { ...filesFrom, ...wanted }, owner);
  }

  it('accepts the list of the job itself and of the job that it reruns', () => {
    expect(fileListFault(first, filesFrom, undefined)).to.equal(undefined);
    expect(fault(first)).to.equal(undefined);
  });

  const deleted = { annotations: { [ANNOTATIONS.fileListDeletedAt]: ago(1) } };
  const cases: readonly [string, string | undefined, RegExp][] = [
    ['Secrets of a ZipJob that does not exist', fault(undefined), /does not exist/],
    ['a list that was deleted', fault(aZipJob({ metadata: deleted })), /was deleted/],
    [
      'a list that is being deleted',
      fault(aZipJob({ metadata: { deletionTimestamp: ago(1) } })),
      /was deleted/,
    ],
    ['a different digest', fault(first, { sha256: 'cd'.repeat(32) }), /count and digest/],
    ['a different count', fault(first, { count: 4 }), /count and digest/],
    [
      'Secrets of two lists',
      fault(first, { secretNames: [`${NAME}-files-0`, 'again-files-1'] }),
      /must be .* or the Secrets of the job to rerun/,
    ],
    [
      'a foreign Secret',
      fault(first, { secretNames: ['zipbucket-s3-x'] }),
      /must be .* or the Secrets of the job to rerun/,
    ],
    [
      'the list of a job that is a rerun itself',
      fault(aZipJob({ spec: { filesFrom: { ...filesFrom, secretNames: ['other-files-0'] } } })),
      /no file list of its own/,
    ],
  ];
  for (const [what, found, words] of cases)
    it(`rejects ${what}`, () => {
      expect(found).to.match(words);
    });
});
