import { expect } from 'chai';
import { AppError } from '#runtime/errors.ts';
import { backoffBoundMs, retry } from '#runtime/retry.ts';

const POLICY = { attempts: 4, baseDelayMs: 1, maxDelayMs: 4 };
const busy = (retryAfterMs?: number): AppError =>
  new AppError('busy', {
    code: 'Busy',
    retryable: true,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });

const failure = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it succeeded');
};

describe('retry', () => {
  it('retries until it succeeds', async () => {
    const value = await retry(
      (attempt) => (attempt < 3 ? Promise.reject(busy()) : Promise.resolve(attempt)),
      POLICY,
    );
    expect(value).to.equal(3);
  });

  it('throws the last error after the last attempt', async () => {
    let calls = 0;
    const error = await failure(
      retry(() => {
        calls += 1;
        return Promise.reject(busy());
      }, POLICY),
    );
    expect(error).to.have.property('code', 'Busy');
    expect(calls).to.equal(4);
  });

  it('does not retry a permanent error', async () => {
    let calls = 0;
    const final = new AppError('no', { code: 'No', retryable: false });
    const error = await failure(
      retry(() => {
        calls += 1;
        return Promise.reject(final);
      }, POLICY),
    );
    expect(error).to.equal(final);
    expect(calls).to.equal(1);
  });

  it('waits for the requested time', async () => {
    const delays: number[] = [];
    await retry((attempt) => (attempt === 1 ? Promise.reject(busy(3)) : Promise.resolve()), {
      ...POLICY,
      onRetry: (_error, _attempt, delayMs) => delays.push(delayMs),
    });
    expect(delays).to.deep.equal([3]);
  });

  it('gives up if the requested time is longer than the maximum', async () => {
    let calls = 0;
    await failure(
      retry(() => {
        calls += 1;
        return Promise.reject(busy(60_000));
      }, POLICY),
    );
    expect(calls).to.equal(1);
  });

  it('stops waiting when it is aborted', async () => {
    const stop = new AbortController();
    const waiting = retry(
      () => Promise.reject(busy()),
      {
        attempts: 2,
        baseDelayMs: 3_600_000,
        maxDelayMs: 3_600_000,
        onRetry: () => setImmediate(() => stop.abort(new Error('stopped'))),
      },
      stop.signal,
    );
    expect(await failure(waiting)).to.be.instanceOf(Error);
  });
});

describe('backoffBoundMs', () => {
  it('doubles up to the maximum', () => {
    const bounds = [1, 2, 3, 4, 40].map((attempt) =>
      backoffBoundMs({ baseDelayMs: 500, maxDelayMs: 3000 }, attempt),
    );
    expect(bounds).to.deep.equal([500, 1000, 2000, 3000, 3000]);
  });
});
