import { expect } from 'chai';
import { describeFailure, parseTerminationMessage } from '#controller/cluster/termination-message.ts';
import { failureMessage } from '#test/support/builders/pod-statuses.ts';
import { aResult } from '#test/support/builders/zip-job-statuses.ts';

describe('parseTerminationMessage', () => {
  const good: readonly object[] = [
    { contractVersion: 1, mode: 'archive', result: aResult() },
    failureMessage('SourceNotFound', { fileIndex: 3, httpStatus: 404 }),
    { contractVersion: 1, mode: 'recover', recovered: { outcome: 'published', bytes: 1, etag: 'e' } },
    { contractVersion: 1, mode: 'recover', recovered: { outcome: 'absent' } },
    {
      contractVersion: 1,
      mode: 'recover',
      recovered: { outcome: 'unknown', missingPermission: 's3:GetObject' },
    },
    { contractVersion: 1, mode: 'check-bucket', check: { ok: true, missingPermissions: [] } },
  ];
  for (const message of good)
    it(`accepts ${JSON.stringify(message).slice(0, 90)}`, () => {
      expect(parseTerminationMessage(JSON.stringify(message))).to.deep.equal(message);
    });

  const bad: readonly (string | undefined)[] = [
    undefined,
    '',
    'Error: out of memory\n    at main.ts:1',
    '{}',
    'null',
    JSON.stringify({ contractVersion: 1, mode: 'archive' }),
    JSON.stringify({ contractVersion: 1, mode: 'archive', recovered: { outcome: 'absent' } }),
    JSON.stringify({ contractVersion: 1, mode: 'recover', recovered: { outcome: 'published' } }),
    JSON.stringify({ contractVersion: 1, mode: 'recover', recovered: { outcome: 'perhaps' } }),
    JSON.stringify(failureMessage('not a code!')),
  ];
  for (const text of bad)
    it(`rejects ${String(text).slice(0, 90)}`, () => {
      expect(parseTerminationMessage(text)).to.equal(undefined);
    });
});

describe('describeFailure', () => {
  it('contains the index of the file only once', () => {
    const failure = { code: 'SourceNotFound', fileIndex: 3, message: 'file 3: the source answered 404' };
    expect(describeFailure(failure, '')).to.equal('file 3: the source answered 404');
    expect(describeFailure({ code: 'X', fileIndex: 3, message: 'cut off' }, '')).to.equal('file 3: cut off');
  });
});
