import { expect } from 'chai';
import { until } from '#test/support/until.ts';
import { type CommittingAttempt, denied, RecoveryHarness, recoverySettings } from './recovery-harness.ts';

async function outcomeOf(recovery: Promise<unknown>): Promise<unknown> {
  try {
    return await recovery;
  } catch (error) {
    return error;
  }
}

describe('recover: an attempt in state committing', () => {
  let harness: RecoveryHarness;
  let attempt: CommittingAttempt;
  beforeEach(async () => {
    harness = await RecoveryHarness.start();
    attempt = await harness.committing();
  });
  afterEach(() => harness[Symbol.asyncDispose]());

  function refuse(...operations: readonly string[]): void {
    harness.hostile.fault = ({ operation }) => (operations.includes(operation) ? denied : undefined);
  }

  it('reports unknown and the permission while a refused abort leaves the upload (F27)', async () => {
    refuse('abort');
    expect(await harness.recover(attempt)).to.deep.equal({
      outcome: 'unknown',
      missingPermission: 's3:AbortMultipartUpload',
    });
    await attempt.complete();
    expect(harness.isPublished).to.equal(true);
  });

  it('reports the archive that a resumed pod publishes during the recovery (F27)', async () => {
    refuse('abort');
    const recovery = harness.recover(attempt);
    setTimeout(() => void attempt.complete(), recoverySettings.storeConsistencyMs / 2);
    expect(await recovery).to.include({ outcome: 'published', bytes: 3 });
  });

  it('reports unknown if the upload was gone before its abort, and no archive appears (F47)', async () => {
    harness.hostile.uploads.clear();
    expect(await harness.recover(attempt)).to.deep.equal({ outcome: 'unknown', goneBeforeAbort: true });
  });

  it('waits for an archive that the store still assembles (F47)', async () => {
    const assembled = Promise.withResolvers<void>();
    harness.hostile.assembly = () => assembled.promise;
    const completed = attempt.complete();
    await until('the store to take the upload', () => harness.hostile.uploads.size === 0);
    const recovery = harness.recover(attempt, { bytes: 2 ** 30 });
    await until('several checks', () => harness.count('head') > 2);
    assembled.resolve();
    expect(await recovery).to.include({ outcome: 'published' });
    await completed;
  });

  it('reports no outcome at the end of its time while the store may still assemble the archive (F47)', async () => {
    await using brief = await RecoveryHarness.start({ ...recoverySettings, recoveryLimitMs: 2000 });
    const late = await brief.committing();
    brief.hostile.uploads.clear();
    expect(await outcomeOf(brief.recover(late, { bytes: 2 ** 30 }))).to.include({
      code: 'StoreUnavailable',
      storeCode: 'MayBeAssembling',
      retryable: true,
    });
  });

  it('does not wait for an archive that would have been assembled long ago (F47)', async () => {
    harness.hostile.uploads.clear();
    const times = { bytes: 2 ** 30, endedAgoMs: 60_000 };
    expect(await harness.recover(attempt, times)).to.deep.equal({
      outcome: 'unknown',
      goneBeforeAbort: true,
    });
  });

  it('does not start that wait again without permission to list, where every upload looks as if it had just gone (F47)', async () => {
    harness.hostile.uploads.clear();
    refuse('listParts', 'listUploads');
    const times = { bytes: 2 ** 30, endedAgoMs: 60_000 };
    expect(await harness.recover(attempt, times)).to.deep.equal({
      outcome: 'unknown',
      goneBeforeAbort: true,
    });
  });

  it('gives a Complete that comes before its abort the time to assemble the archive (F47)', async () => {
    const assembled = Promise.withResolvers<void>();
    harness.hostile.assembly = () => assembled.promise;
    let completed: Promise<unknown> | undefined;
    harness.hostile.fault = ({ operation, nth }) => {
      if (operation !== 'abort' || nth > 1) return undefined;
      // The abort arrives when the store has taken the Complete.
      completed = attempt.complete();
      const taken = until('the upload to be taken', () => harness.hostile.uploads.size === 0);
      return { kind: 'hold', until: taken.then(() => undefined) };
    };
    const recovery = harness.recover(attempt, { bytes: 2 ** 30, endedAgoMs: 60_000 });
    await until('several checks', () => harness.count('head') > 2);
    assembled.resolve();
    expect(await recovery).to.include({ outcome: 'published' });
    await completed;
  });

  it('does not take an upload that listings still show for one that its abort removed (F47)', async () => {
    const assembled = Promise.withResolvers<void>();
    harness.hostile.assembly = () => assembled.promise;
    const completed = attempt.complete();
    await until('the store to take the upload', () => harness.hostile.uploads.size === 0);
    const outdatedMs = recoverySettings.storeConsistencyMs * 0.9;
    harness.hostile.delays = { listParts: outdatedMs, listUploads: outdatedMs };
    harness.hostile.fault = ({ operation }) => (operation === 'abort' ? { kind: 'raced' } : undefined);
    const recovery = harness.recover(attempt, { bytes: 2 ** 30 });
    const checked = until('several checks', () => harness.count('abort') > 20).then(() => 'still assembling');
    expect(await Promise.race([recovery, checked])).to.equal('still assembling');
    assembled.resolve();
    expect(await recovery).to.include({ outcome: 'published' });
    await completed;
  });

  it('counts an abort whose response was lost as its own (F27)', async () => {
    await using retrying = await RecoveryHarness.start({ ...recoverySettings, storeRetryLimitMs: 10_000 });
    retrying.hostile.fault = ({ operation, nth }) =>
      operation === 'abort' && nth === 1 ? { kind: 'drop', when: 'after' } : undefined;
    expect(await retrying.recover(await retrying.committing())).to.deep.equal({ outcome: 'absent' });
  });

  it('reports no outcome if the abort returns 204 but the upload remains (F27)', async () => {
    harness.hostile.fault = ({ operation }) => (operation === 'abort' ? { kind: 'raced' } : undefined);
    expect(await outcomeOf(harness.recover(attempt))).to.include({
      code: 'StoreUnavailable',
      storeCode: 'UploadRemains',
      retryable: true,
    });
    expect(harness.count('abort')).to.be.greaterThan(1);
  });

  it('reports the archive although HEAD does not show it for a while (F27)', async () => {
    harness.hostile.delays = { head: recoverySettings.storeConsistencyMs * 0.7 };
    await attempt.complete();
    expect(await harness.recover(attempt)).to.include({ outcome: 'published', bytes: 3 });
  });

  it('reports absent although the listing still shows the aborted upload for a while (F27)', async () => {
    harness.hostile.delays = { listUploads: recoverySettings.storeConsistencyMs * 0.7 };
    expect(await harness.recover(attempt)).to.deep.equal({ outcome: 'absent' });
  });

  it('does not rely on a listing that does not show the upload yet (F27)', async () => {
    refuse('abort', 'listParts');
    harness.hostile.delays = { listUploads: recoverySettings.storeConsistencyMs * 0.7 };
    expect(await harness.recover(attempt)).to.deep.include({ outcome: 'unknown' });
  });

  it('relies on the parts or the listing alone if the other is denied (F27)', async () => {
    refuse('listUploads');
    expect(await harness.recover(attempt)).to.deep.equal({ outcome: 'absent' });
    attempt = await harness.committing();
    refuse('listParts');
    expect(await harness.recover(attempt)).to.deep.equal({ outcome: 'absent' });
  });

  it('relies on NoSuchUpload from a repeated abort if both are denied (F27)', async () => {
    refuse('listParts', 'listUploads');
    expect(await harness.recover(attempt)).to.deep.equal({ outcome: 'absent' });
  });

  it('reports unknown and the permission if nothing verifies the abort (F27)', async () => {
    harness.hostile.fault = ({ operation }) => {
      if (operation === 'abort') return { kind: 'raced' };
      return operation === 'listParts' || operation === 'listUploads' ? denied : undefined;
    };
    expect(await harness.recover(attempt)).to.deep.equal({
      outcome: 'unknown',
      missingPermission: 's3:ListMultipartUploadParts',
    });
  });

  it('reports no outcome for credentials that the store does not know, which may be replaced (F27)', async () => {
    harness.hostile.fault = ({ operation }) =>
      operation === 'head' ? denied : { kind: 'response', status: 403, code: 'InvalidAccessKeyId' };
    expect(await outcomeOf(harness.recover(attempt))).to.include({ code: 'BucketCredentialsInvalid' });
  });

  it('reports the archive, or else no outcome, if the store rejects aborts (F27)', async () => {
    harness.hostile.fault = ({ operation }) =>
      operation === 'abort' ? { kind: 'response', status: 405, code: 'MethodNotAllowed' } : undefined;
    expect(await outcomeOf(harness.recover(attempt))).to.include({ storeCode: 'MethodNotAllowed' });
    await attempt.complete();
    expect(await harness.recover(attempt)).to.include({ outcome: 'published', bytes: 3 });
  });

  it('reports no outcome if another server responds to the abort (F27)', async () => {
    harness.hostile.fault = () => ({ kind: 'response', status: 404, code: '', body: 'no such page' });
    expect(await outcomeOf(harness.recover(attempt))).to.include({ code: 'BucketMisconfigured' });
  });

  it('reports absent if the bucket no longer exists (F27)', async () => {
    harness.hostile.fault = ({ operation }) => ({
      kind: 'response',
      status: 404,
      code: operation === 'head' ? '' : 'NoSuchBucket',
    });
    expect(await harness.recover(attempt)).to.deep.equal({ outcome: 'absent' });
  });

  it('reads every page of the listing before an upload counts as gone (F27)', async () => {
    for (let more = 0; more < 3; more += 1) await harness.store.createUpload('a.zip', 'pod-0');
    attempt = await harness.committing();
    refuse('abort', 'listParts');
    harness.hostile.pageSize = 2;
    expect(await harness.recover(attempt)).to.deep.include({ outcome: 'unknown' });
  });

  it('reports no outcome if the listing is not one, such as the page of a proxy (F27)', async () => {
    harness.hostile.fault = ({ operation }) => {
      const body = '<html><body>Sign in</body></html>';
      if (operation === 'listUploads') return { kind: 'response', status: 200, code: '', body };
      return operation === 'abort' || operation === 'listParts' ? denied : undefined;
    };
    expect(await outcomeOf(harness.recover(attempt))).to.include({ storeCode: 'IncompleteResponse' });
  });
});
