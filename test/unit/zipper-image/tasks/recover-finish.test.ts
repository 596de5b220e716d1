/** The recovery of an attempt that recorded `committing`, with what it recorded of its parts. */
import { expect } from 'chai';
import { until } from '#test/support/until.ts';
import { type CommittingAttempt, denied, RecoveryHarness, recoverySettings } from './recovery-harness.ts';

const FOREIGN = { body: Buffer.from('other'), metadata: {}, etag: '"other"' };

describe('recover: an attempt in state committing whose parts are known', () => {
  let harness: RecoveryHarness;
  let attempt: CommittingAttempt;
  beforeEach(async () => {
    harness = await RecoveryHarness.start();
    attempt = await harness.committing({ parts: 3 });
  });
  afterEach(() => harness[Symbol.asyncDispose]());

  function finish(of = attempt, bytes = 9) {
    return harness.recover(of, { bytes, finish: of.finish });
  }

  /** The recovery aborted the upload, and nothing is at the key. */
  function expectNothing(): void {
    expect([harness.isPublished, harness.hostile.uploads.size]).to.deep.equal([false, 0]);
  }

  it('completes the upload with the parts that the store lists (F27) (H8)', async () => {
    harness.hostile.pageSize = 2;
    expect(await finish()).to.include({ outcome: 'published', bytes: 9 });
    expect(harness.isPublished).to.equal(true);
    expect(harness.hostile.uploads.size).to.equal(0);
    expect([harness.count('complete'), harness.count('abort')]).to.deep.equal([1, 0]);
  });

  it('completes an upload whose parts were sent with a CRC-32, which S3 requires again (F27)', async () => {
    const summed = await harness.committing({ parts: 2, checksum: 'crc32' });
    expect(await finish(summed, 6)).to.include({ outcome: 'published', bytes: 6 });
  });

  it('reports the archive that the pod published itself, without another Complete (F27)', async () => {
    await attempt.complete();
    expect(await finish()).to.include({ outcome: 'published', bytes: 9 });
    expect(harness.count('complete')).to.equal(1);
  });

  it('reports the archive if the pod, which still runs, sends the same Complete first (F27)', async () => {
    harness.hostile.fault = ({ operation, nth }) =>
      operation === 'complete' && nth === 1
        ? { kind: 'hold', until: attempt.complete().then(() => undefined) }
        : undefined;
    expect(await finish()).to.include({ outcome: 'published', bytes: 9 });
    expect(harness.count('abort')).to.equal(0);
  });

  for (const kind of ['s3', 'custom'] as const)
    describe(`with onConflict fail at a store of kind ${kind}`, () => {
      let cautious: CommittingAttempt;
      beforeEach(async () => {
        await harness[Symbol.asyncDispose]();
        harness = await RecoveryHarness.start(recoverySettings, kind);
        harness.hostile.ignoresConditions = kind === 'custom';
        cautious = await harness.committing({
          parts: 2,
          onConflict: 'fail',
          checksum: kind === 's3' ? 'crc32' : 'md5',
        });
      });

      it('completes the upload (F27)', async () => {
        expect(await finish(cautious, 6)).to.include({ outcome: 'published', bytes: 6 });
        expect(harness.count('abort')).to.equal(0);
      });

      it('reports the archive if the pod, which still runs, sends the same Complete first (F27)', async () => {
        harness.hostile.fault = ({ operation, nth }) =>
          operation === 'complete' && nth === 1
            ? { kind: 'hold', until: cautious.complete().then(() => undefined) }
            : undefined;
        expect(await finish(cautious, 6)).to.include({ outcome: 'published', bytes: 6 });
      });

      it('keeps an object of somebody else (F27)', async () => {
        harness.hostile.objects.set('a.zip', FOREIGN);
        expect(await finish(cautious, 6)).to.deep.equal({ outcome: 'absent' });
        expect(harness.hostile.objects.get('a.zip')).to.equal(FOREIGN);
        expect(harness.hostile.uploads.has(cautious.uploadId)).to.equal(false);
      });
    });

  it('replaces an object of somebody else with onConflict replace (F27)', async () => {
    harness.hostile.objects.set('a.zip', FOREIGN);
    expect(await finish()).to.include({ outcome: 'published', bytes: 9 });
  });

  for (const [what, change] of [
    ['one more part', { parts: 2 }],
    ['other ETags', { partsDigest: '0'.repeat(64) }],
  ] as const)
    it(`aborts an upload that has ${what} than it recorded (F27)`, async () => {
      expect(
        await harness.recover(attempt, { bytes: 9, finish: { ...attempt.finish, ...change } }),
      ).to.deep.equal({ outcome: 'absent' });
      expect(harness.count('complete')).to.equal(0);
      expectNothing();
    });

  it('aborts an upload whose parts have other sizes than it recorded (F27)', async () => {
    expect(await finish(attempt, 10)).to.deep.equal({ outcome: 'absent' });
    expect(harness.count('complete')).to.equal(0);
    expectNothing();
  });

  it('waits for a list that does not show the parts yet (F27)', async () => {
    harness.hostile.delays = { listParts: recoverySettings.storeConsistencyMs * 0.7 };
    expect(await finish(await harness.committing({ parts: 3 }))).to.include({ outcome: 'published' });
  });

  for (const status of [403, 501])
    it(`aborts an upload whose parts are not listed, with status ${status} (F27)`, async () => {
      harness.hostile.fault = ({ operation }) =>
        operation === 'listParts'
          ? { kind: 'response', status, code: status === 403 ? 'AccessDenied' : 'NotImplemented' }
          : undefined;
      expect(await finish()).to.deep.equal({ outcome: 'absent' });
      expect(harness.count('complete')).to.equal(0);
      expectNothing();
    });

  for (const [what, fault] of [
    ['fails', { kind: 'response', status: 500, code: 'InternalError' }],
    [
      'does not know the keys, which may be replaced',
      { kind: 'response', status: 403, code: 'InvalidAccessKeyId' },
    ],
    ['responds with the page of a proxy', { kind: 'response', status: 200, code: '', body: '<html></html>' }],
  ] as const)
    it(`leaves the upload to the next recovery while the store ${what} (F27)`, async () => {
      harness.hostile.fault = ({ operation }) => (operation === 'listParts' ? fault : undefined);
      expect(await finish().catch((error: unknown) => error)).to.be.an('error');
      expect([harness.count('abort'), harness.hostile.uploads.size]).to.deep.equal([0, 1]);
      harness.hostile.fault = () => undefined;
      expect(await finish()).to.include({ outcome: 'published' });
    });

  it('reports unknown if the upload is gone, and no archive appears (F47)', async () => {
    harness.hostile.uploads.clear();
    expect(await finish()).to.deep.equal({ outcome: 'unknown', goneBeforeAbort: true });
  });

  it('aborts the upload if the store refuses the Complete (F27)', async () => {
    harness.hostile.fault = ({ operation }) =>
      operation === 'complete' ? { kind: 'response', status: 400, code: 'InvalidPart' } : undefined;
    expect(await finish()).to.deep.equal({ outcome: 'absent' });
    expectNothing();
  });

  it('reports the archive if the response to Complete is lost (F27)', async () => {
    harness.hostile.fault = ({ operation }) =>
      operation === 'complete' ? { kind: 'drop', when: 'after' } : undefined;
    expect(await finish()).to.include({ outcome: 'published' });
  });

  it('does not accept and does not leave an object that does not match the parts (U14)', async () => {
    const summed = await harness.committing({ parts: 2, checksum: 'crc32' });
    harness.hostile.comparesParts = false;
    const parts = harness.hostile.uploads.get(summed.uploadId)?.parts;
    const second = parts?.get(2);
    harness.hostile.fault = ({ operation }) => {
      // Between the list and the Complete, the disk loses a part.
      if (operation === 'complete' && second) parts?.set(2, { ...second, crc32: 'AAAAAA==' });
      return undefined;
    };
    expect(await finish(summed, 6)).to.deep.equal({ outcome: 'absent' });
    expect(harness.hostile.objects.size).to.equal(0);
  });

  it('aborts nothing at the end of its time while its Complete may still be carried out (F47)', async () => {
    await using brief = await RecoveryHarness.start({ ...recoverySettings, recoveryLimitMs: 1000 });
    const large = await brief.committing({ parts: 3 });
    const assembled = Promise.withResolvers<void>();
    brief.hostile.fault = ({ operation }) =>
      operation === 'complete' ? { kind: 'hold', until: assembled.promise } : undefined;
    const recovery = brief
      .recover(large, { bytes: 9, finish: large.finish })
      .catch((error: unknown) => error);
    expect(await recovery).to.include({ storeCode: 'MayBeAssembling', retryable: true });
    expect(brief.count('abort')).to.equal(0);
    assembled.resolve();
    await until('the archive', () => brief.isPublished);
    expect(await brief.recover(large, { bytes: 9, finish: large.finish })).to.include({
      outcome: 'published',
    });
  });

  it('aborts nothing when it is stopped while its Complete may still be carried out (F47)', async () => {
    const assembled = Promise.withResolvers<void>();
    harness.hostile.fault = ({ operation }) =>
      operation === 'complete' ? { kind: 'hold', until: assembled.promise } : undefined;
    const recovery = finish().catch((error: unknown) => error);
    await until('Complete', () => harness.count('complete') === 1);
    harness.stopping.abort(new Error('stopped'));
    expect(await recovery).to.be.an('error');
    assembled.resolve();
    await until('the archive', () => harness.isPublished);
    expect(harness.count('abort')).to.equal(0);
  });

  it('says which permission hides the archive (F27)', async () => {
    harness.hostile.fault = ({ operation }) => (operation === 'head' ? denied : undefined);
    expect(await finish()).to.deep.equal({
      outcome: 'unknown',
      missingPermission: 's3:GetObject and s3:ListBucket',
    });
  });
});
