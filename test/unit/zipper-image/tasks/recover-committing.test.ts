import { expect } from 'chai';
import { type CommittingAttempt, denied, RecoveryHarness, recoverySettings } from './recovery-harness.ts';

const outcomeOf = async (recovery: Promise<unknown>): Promise<unknown> => {
  try {
    return await recovery;
  } catch (error) {
    return error;
  }
};

describe('recover: an attempt in state committing', () => {
  let harness: RecoveryHarness;
  let attempt: CommittingAttempt;
  beforeEach(async () => {
    harness = await RecoveryHarness.start();
    attempt = await harness.committing();
  });
  afterEach(() => harness[Symbol.asyncDispose]());

  const refuse = (...operations: readonly string[]): void => {
    harness.hostile.fault = ({ operation }) => (operations.includes(operation) ? denied : undefined);
  };

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

  it('reports absent after a refused abort once the upload is gone (F27)', async () => {
    refuse('abort');
    harness.hostile.uploads.clear();
    expect(await harness.recover(attempt)).to.deep.equal({ outcome: 'absent' });
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
