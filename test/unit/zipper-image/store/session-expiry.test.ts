import { expect } from 'chai';
import type { Operation } from '#test/support/servers/hostile-store.ts';
import type { StoreCredentials, StoreIdentity } from '#zipper-image/store/session.ts';
import { failureOf, UploadHarness } from './upload-harness.ts';

describe('temporary credentials', () => {
  let harness: UploadHarness | undefined;
  afterEach(() => harness?.[Symbol.asyncDispose]());

  /** Credentials whose key changes with each renewal. */
  function sessions() {
    function make(number: number): StoreIdentity {
      return {
        accessKeyId: `key-${number}`,
        secretAccessKey: 's',
        sessionToken: `t-${number}`,
      };
    }
    let renewals = 0;
    let held = make(0);
    return {
      current: () => Promise.resolve(held),
      renew: (rejected: StoreIdentity) => {
        if (rejected === held) {
          renewals += 1;
          held = make(renewals);
        }
        return Promise.resolve();
      },
      repeats: { attempts: 1, baseDelayMs: 0, maxDelayMs: 0 },
      renewals: () => renewals,
    };
  }
  async function start(credentials: StoreCredentials): Promise<UploadHarness> {
    harness = await UploadHarness.start({ credentials });
    return harness;
  }
  function tokensAt({ hostile }: UploadHarness, operation: Operation) {
    return hostile.requests
      .filter((request) => request.operation === operation)
      .map(({ headers }) => headers['x-amz-security-token']);
  }

  it('are asked for each request (X21)', async () => {
    const own = sessions();
    const { store, hostile } = await start(own);
    await store.head('a');
    await own.renew(await own.current());
    await store.head('a');
    expect(hostile.requests.map(({ headers }) => headers['x-amz-security-token'])).to.deep.equal([
      't-0',
      't-1',
    ]);
  });

  for (const code of ['ExpiredToken', 'InvalidAccessKeyId'])
    for (const operation of ['create', 'part', 'complete'] as const)
      it(`are renewed once when the store responds ${code} to a ${operation} request, which is repeated (X21)`, async () => {
        const own = sessions();
        const started = await start(own);
        const { hostile } = started;
        hostile.fault = ({ operation: seen, headers }) =>
          seen === operation && headers['x-amz-security-token'] === 't-0'
            ? { kind: 'response', status: code === 'ExpiredToken' ? 400 : 403, code }
            : undefined;
        const upload = await started.filled();
        await upload.complete();
        started.expectPublished();
        expect(own.renewals()).to.equal(1);
        expect(upload.retries).to.equal(0);
        expect(tokensAt(started, operation)).to.include.members(['t-0', 't-1']);
      });

  it('end the job if the store does not accept the renewed ones either (X21)', async () => {
    const own = sessions();
    const started = await start(own);
    started.hostile.fault = () => ({ kind: 'response', status: 400, code: 'ExpiredToken' });
    const error = await failureOf(started.open());
    expect(error).to.include({ code: 'BucketCredentialsInvalid', retryable: false });
    expect([own.renewals(), started.count('create')]).to.deep.equal([1, 2]);
  });

  it('are not renewed for keys without a session (X21)', async () => {
    const started = await start({ accessKeyId: 'id', secretAccessKey: 'secret' });
    started.hostile.fault = () => ({ kind: 'response', status: 403, code: 'InvalidAccessKeyId' });
    expect(await failureOf(started.open())).to.include({ code: 'BucketCredentialsInvalid' });
    expect(started.count('create')).to.equal(1);
  });
});
