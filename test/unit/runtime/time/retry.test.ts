import { expect } from 'chai';
import { AppError } from '#runtime/errors.ts';
import { backoffMs, type RetryPolicy, retry } from '#runtime/time/retry.ts';
import { RetryLimit } from '#runtime/time/retry-limit.ts';

const POLICY = { attempts: 4, baseDelayMs: 1, maxDelayMs: 4 };

function busy(retryAfterMs?: number): AppError {
  return new AppError('busy', {
    code: 'Busy',
    retryable: true,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it succeeded');
}

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

  async function delaysOf(error: AppError, policy: RetryPolicy): Promise<readonly number[]> {
    const delays: number[] = [];
    function onRetry(_error: unknown, _attempt: number, delayMs: number): void {
      delays.push(delayMs);
    }
    await failure(retry(() => Promise.reject(error), { ...policy, onRetry }));
    return delays;
  }

  it('waits the maximum, and tries again, if the requested time is longer (FD19)', async () => {
    const delays = await delaysOf(busy(60_000), { baseDelayMs: 1, maxDelayMs: 4, limit: new RetryLimit(10) });
    expect(new Set(delays)).to.deep.equal(new Set([4]));
    expect(delays.length).to.be.greaterThan(1);
  });

  it('makes a number of attempts although its time is over after the first', async () => {
    const limited = { baseDelayMs: 1, maxDelayMs: 1, limit: new RetryLimit(0) };
    expect(await delaysOf(busy(), { ...limited, leastAttempts: 3 })).to.have.length(2);
    expect(await delaysOf(busy(), limited)).to.have.length(0);
  });

  it('ends if the requested time is longer than the maximum and only few attempts are left', async () => {
    expect(await delaysOf(busy(5), POLICY)).to.deep.equal([]);
    expect(await delaysOf(busy(3), { ...POLICY, maxRetryAfterMs: 2 })).to.deep.equal([]);
    expect(await delaysOf(busy(5), { ...POLICY, maxRetryAfterMs: 6 })).to.deep.equal([5, 5, 5]);
  });

  it('waits a little if the server requests no wait at all', async () => {
    expect(await delaysOf(busy(0), { ...POLICY, baseDelayMs: 4 })).to.deep.equal([2, 2, 2]);
  });

  it('waits between half and all of a bound that doubles (F36)', async () => {
    const delays = await delaysOf(busy(), { attempts: 5, baseDelayMs: 1, maxDelayMs: 4 });
    const shares = delays.map((delayMs, index) => delayMs / Math.min(4, 2 ** index));
    expect(Math.min(...shares)).to.be.at.least(0.5);
    expect(Math.max(...shares)).to.be.at.most(1);
  });

  it('retries without a number of attempts until its time is over (F36)', async () => {
    let now = 0;
    let calls = 0;
    const limit = new RetryLimit(100, () => now);
    await failure(
      retry(
        () => {
          calls += 1;
          now += 10;
          return Promise.reject(busy());
        },
        { limit, baseDelayMs: 0, maxDelayMs: 0 },
      ),
    );
    expect(calls).to.equal(10);
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

describe('backoffMs', () => {
  it('is random, between half of a bound and the bound, which doubles up to the maximum', () => {
    for (const [failures, bound] of [
      [1, 500],
      [2, 1000],
      [3, 2000],
      [4, 3000],
      [40, 3000],
    ] as const) {
      const waits = Array.from({ length: 100 }, () =>
        backoffMs({ baseDelayMs: 500, maxDelayMs: 3000 }, failures),
      );
      for (const wait of waits) expect(wait).to.be.within(bound / 2, bound);
      expect(new Set(waits).size, 'different waits').to.be.greaterThan(50);
    }
  });
});
