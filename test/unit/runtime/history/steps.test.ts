import { expect } from 'chai';
import { createSteps } from '#runtime/history/steps.ts';

function fail(message: string) {
  return () => Promise.reject(new Error(message));
}

describe('steps', () => {
  it('return their results, run after one that failed, and throw all errors at the end', async () => {
    const steps = createSteps(new AbortController().signal);
    expect(await steps.run('first', fail('a lock'))).to.equal(undefined);
    expect(await steps.run('second', () => Promise.resolve(2))).to.equal(2);
    await steps.run('third', fail('a time limit'));
    expect(() => steps.check())
      .to.throw(AggregateError, '2 steps failed. first: a lock | third: a time limit')
      .with.nested.property('cause.message', 'a lock');
  });

  it('throw nothing if all succeed', async () => {
    const steps = createSteps(new AbortController().signal);
    await steps.run('first', () => Promise.resolve(1));
    expect(() => steps.check()).to.not.throw();
  });

  it('name the first five of many that failed, and the number of the others', async () => {
    const steps = createSteps(new AbortController().signal);
    for (let n = 1; n <= 1_000; n += 1) await steps.run(`${n}`, fail('away'));
    expect(() => steps.check()).to.throw(
      AggregateError,
      /^1000 steps failed\. 1: away \| .* \| 5: away \| and 995 more$/,
    );
  });

  it('end with the reason of an aborted signal', async () => {
    const stop = new AbortController();
    const steps = createSteps(stop.signal);
    const aborted = steps.run('first', () => {
      stop.abort(new Error('stopped'));
      return Promise.reject(new Error('a consequence'));
    });
    expect(String(await aborted.catch((error: unknown) => error))).to.equal('Error: stopped');
    expect(String(await steps.run('second', fail('no')).catch((error: unknown) => error))).to.equal(
      'Error: stopped',
    );
    expect(() => steps.check()).to.not.throw();
  });
});
