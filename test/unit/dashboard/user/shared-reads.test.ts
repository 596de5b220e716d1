import { expect } from 'chai';
import { createSharedReads } from '#dashboard/user/shared-reads.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';

function start({ ageMs = 1_000, maxBytes = 100 } = {}) {
  const clock = createManualClock();
  let shared = 0;
  let reads = 0;
  const share = createSharedReads<string>({
    clock,
    ageMs,
    maxBytes,
    bytesOf: ({ length }) => length,
    onShared: () => {
      shared += 1;
    },
  });
  function read(user: string, argument = 'log', text = 'text'): Promise<string> {
    return share(user, ['team-a', argument], () => {
      reads += 1;
      return Promise.resolve(`${text} ${reads}`);
    });
  }
  return { clock, share, read, counts: () => ({ shared, reads }) };
}

describe('createSharedReads', () => {
  it('shares a read in progress and its result, until the result is too old', async () => {
    const { clock, read, counts } = start();
    expect(await Promise.all([read('ada'), read('ada')])).to.deep.equal(['text 1', 'text 1']);
    expect(await read('ada')).to.equal('text 1');
    expect(counts()).to.deep.equal({ shared: 2, reads: 1 });
    await clock.advance(1_000);
    expect(clock.pending).to.equal(0);
    expect(await read('ada')).to.equal('text 2');
  });

  it('shares nothing with another user, nor for other arguments', async () => {
    const { read, counts } = start();
    const results = await Promise.all([read('ada'), read('bob'), read('ada', 'other'), read('bob')]);
    expect(results).to.deep.equal(['text 1', 'text 2', 'text 3', 'text 2']);
    expect(counts()).to.deep.equal({ shared: 1, reads: 3 });
  });

  it('takes names and arguments that contain each other as different', async () => {
    const { share } = start();
    const results = [
      await share('ada', ['b', 'c'], () => Promise.resolve('1')),
      await share('ada","b', ['c'], () => Promise.resolve('2')),
      await share('ada', ['b","c'], () => Promise.resolve('3')),
    ];
    expect(results).to.deep.equal(['1', '2', '3']);
  });

  it('keeps no error', async () => {
    const { share } = start();
    function failing() {
      return share('ada', [], () => Promise.reject(new Error('away')));
    }
    expect(await Promise.all([failing().catch(String), failing().catch(String)])).to.deep.equal([
      'Error: away',
      'Error: away',
    ]);
    expect(await share('ada', [], () => Promise.resolve('back'))).to.equal('back');
  });

  it('keeps at most so many bytes', async () => {
    const { clock, read, counts } = start({ maxBytes: 100 });
    const long = 'x'.repeat(60);
    await read('ada', 'first', long);
    await read('ada', 'second', long);
    await read('ada', 'first', long);
    expect(counts()).to.deep.equal({ shared: 1, reads: 2 });
    await read('ada', 'second', long);
    expect(counts().reads, 'not kept').to.equal(3);
    await clock.advance(1_000);
    await read('ada', 'second', long);
    await read('ada', 'second', long);
    expect(counts()).to.deep.equal({ shared: 2, reads: 4 });
  });

  it('keeps at most a thousand results', async () => {
    const { clock, read } = start({ maxBytes: 1e9 });
    for (let n = 0; n < 1_100; n += 1) await read('ada', String(n));
    expect(clock.pending).to.equal(1_000);
  });

  it('shares only reads in progress with an age of 0', async () => {
    const { clock, read, counts } = start({ ageMs: 0 });
    await Promise.all([read('ada'), read('ada')]);
    await read('ada');
    expect(counts()).to.deep.equal({ shared: 1, reads: 2 });
    expect(clock.pending).to.equal(0);
  });
});
