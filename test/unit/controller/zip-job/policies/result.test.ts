import { expect } from 'chai';
import { verifyResult } from '#controller/zip-job/policies/result.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { aResult } from '#test/support/builders/zip-job-statuses.ts';

describe('verifyResult', () => {
  const cases = [
    { name: 'as many entries as files', spec: {}, result: aResult(), want: 'Uploaded' },
    { name: 'a missing entry', spec: {}, result: aResult({ entries: 2 }), want: 'ResultInvalid' },
    { name: 'no bytes', spec: {}, result: aResult({ bytes: 0 }), want: 'ResultInvalid' },
    {
      name: 'a file skipped as allowed',
      spec: { onSourceError: 'Skip' as const },
      result: aResult({ entries: 2, skipped: [1] }),
      want: 'Uploaded',
    },
    {
      name: 'a file skipped without permission',
      spec: {},
      result: aResult({ entries: 2, skipped: [1] }),
      want: 'ResultInvalid',
    },
    {
      name: 'a manifest entry',
      spec: { manifestEntry: 'm.json' },
      result: aResult({ entries: 4 }),
      want: 'Uploaded',
    },
    {
      name: 'a manifest for sha256sum',
      spec: { manifestFormat: 'sha256sum' as const },
      result: aResult({ entries: 4 }),
      want: 'Uploaded',
    },
    {
      name: 'a bag with its tag files',
      spec: { manifestFormat: 'bagit' as const },
      result: aResult({ entries: 7 }),
      want: 'Uploaded',
    },
    {
      name: 'a bag without tag files',
      spec: { manifestFormat: 'bagit' as const },
      result: aResult(),
      want: 'ResultInvalid',
    },
  ];
  for (const { name, spec, result, want } of cases)
    it(`returns ${want} for ${name}`, () => {
      expect(verifyResult(aZipJob({ spec }), result).reason).to.equal(want);
    });
});
