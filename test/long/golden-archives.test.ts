/** The archives of generated jobs have the bytes that they had before the engine of parts, however they are made. */
import { expect } from 'chai';
import { type Engine, loadEngine } from '../bytes/engine.ts';
import { digestOf, readGolden } from '../bytes/golden.ts';

const GROUP = 50;

describe('archives of generated jobs', () => {
  const golden = Object.entries(readGolden());
  let engine: Engine;
  before(async () => {
    engine = await loadEngine(process.cwd());
  });

  it('are 200', () => {
    expect(golden).to.have.length(200);
  });

  for (let from = 0; from < golden.length; from += GROUP)
    it(`have the same bytes as ever: ${from + 1} to ${from + GROUP} (P113)`, async () => {
      for (const [seed, digest] of golden.slice(from, from + GROUP))
        expect(await digestOf(engine, Number(seed)), `seed ${seed}`).to.equal(digest);
    }).timeout(300_000);
});
