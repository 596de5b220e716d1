import { expect } from 'chai';
import { createJoinNext } from '#dashboard/user/join-next.ts';

function start() {
  const join = createJoinNext<string>();
  const runs: PromiseWithResolvers<string>[] = [];
  function call(key = 'a'): Promise<string> {
    return join(key, () => {
      const run = Promise.withResolvers<string>();
      runs.push(run);
      return run.promise;
    });
  }
  return { runs, call };
}

function afterEvents(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('createJoinNext', () => {
  it('lets calls during a run share the next one, so that no result is older than its call', async () => {
    const { runs, call } = start();
    const first = call();
    const later = [call(), call(), call()];
    await afterEvents();
    expect(runs).to.have.length(1);
    runs[0]?.resolve('before');
    expect(await first).to.equal('before');
    await afterEvents();
    expect(runs).to.have.length(2);
    const last = call();
    runs[1]?.resolve('after');
    expect(await Promise.all(later)).to.deep.equal(['after', 'after', 'after']);
    await afterEvents();
    runs[2]?.resolve('last');
    expect(await last).to.equal('last');
    expect(runs).to.have.length(3);
  });

  it('starts the next run after a failed one', async () => {
    const { runs, call } = start();
    const first = call().catch(String);
    const next = call();
    runs[0]?.reject(new Error('away'));
    expect(await first).to.equal('Error: away');
    await afterEvents();
    runs[1]?.resolve('back');
    expect(await next).to.equal('back');
  });

  it('runs keys independently, and a key again after its run', async () => {
    const { runs, call } = start();
    const both = [call('a'), call('b')];
    expect(runs).to.have.length(2);
    for (const run of runs) run.resolve('done');
    await Promise.all(both);
    await afterEvents();
    const again = call('a');
    expect(runs).to.have.length(3);
    runs[2]?.resolve('again');
    expect(await again).to.equal('again');
  });
});
