import { expect } from 'chai';
import { createLogger } from '#runtime/log/log.ts';
import { StoreError, type StoreErrorOptions } from '#zipper-image/store/store-errors.ts';
import { startPolicy } from '#zipper-image/store/store-retry.ts';
import { settings } from './upload-harness.ts';

function errorOf(code: StoreErrorOptions['code'], storeCode: string, retryable = true): StoreError {
  return new StoreError('Starting the upload', { code, storeCode, retryable });
}

const unknownHost = errorOf('BucketMisconfigured', 'ENOTFOUND');
const refused = errorOf('StoreUnavailable', 'ECONNREFUSED');

describe('the policy of the first request of an upload (F36)', () => {
  const now = performance.now.bind(performance);
  let seconds = 0;
  beforeEach(() => {
    seconds = 0;
    performance.now = () => seconds * 1000;
  });
  afterEach(() => {
    performance.now = now;
  });

  /** Whether it retries after each error, one a second. */
  function play(...errors: readonly StoreError[]): readonly boolean[] {
    const log = createLogger('test', { level: 'silent' });
    const { isRetryable } = startPolicy({ ...settings, storeRetryLimitMs: 600_000 }, log, () => undefined);
    return errors.map((error) => {
      seconds += 1;
      return isRetryable?.(error) === true;
    });
  }

  it('gives a host name that does not resolve five seconds, which start again after another response', () => {
    const six = Array.from({ length: 6 }, () => unknownHost);
    expect(play(...six)).to.deep.equal([true, true, true, true, true, false]);
    expect(play(...six.map(() => refused), unknownHost, refused, unknownHost)).to.not.include(false);
  });

  it('does not retry a bucket that is unusable', () => {
    expect(play(errorOf('BucketMisconfigured', 'EPROTO', false))).to.deep.equal([false]);
  });
});
