import { expect } from 'chai';
import { withTimeLimit } from '#runtime/kube/client/time-limit.ts';

function never(): Promise<never> {
  return new Promise(() => undefined);
}

function caught(task: Promise<unknown>): Promise<unknown> {
  return task.catch((error: unknown) => error);
}

describe('withTimeLimit', () => {
  it('returns the value of the call', async () => {
    expect(await withTimeLimit({ attempt: 'GET /', ms: 1_000 }, () => Promise.resolve(1))).to.equal(1);
  });

  it('times out although the call ignores its signal', async () => {
    const error = await caught(withTimeLimit({ attempt: 'GET /', ms: 20 }, never));
    expect(error).to.include({
      code: 'Timeout',
      message: 'GET /: no response from the API server within 20 ms',
    });
  });

  it('aborts with the caller although the call ignores its signal', async () => {
    const caller = new AbortController();
    const running = caught(withTimeLimit({ attempt: 'GET /', ms: 1_000, signal: caller.signal }, never));
    const reason = new Error('enough');
    caller.abort(reason);
    expect(await running).to.equal(reason);
  });

  it('ignores an error after the timeout', async () => {
    const late = Promise.withResolvers<never>();
    await caught(withTimeLimit({ attempt: 'GET /', ms: 10 }, () => late.promise));
    late.reject(new Error('late'));
    await new Promise(setImmediate);
  });
});
