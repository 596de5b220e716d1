import { expect } from 'chai';
import { systemClock } from '#runtime/clock.ts';
import { until } from '#test/support/until.ts';
import { bothWatches, FAST, type Fixture, followed, startReflector } from './reflector-fixture.ts';
import { aNote } from './scripted-api-server.ts';

function bookmark(version: number) {
  return ['BOOKMARK', { metadata: { resourceVersion: String(version) } }] as const;
}

/** The system clock, which a test can put forward. */
function createSkippingClock() {
  let skippedMs = 0;
  return {
    ...systemClock,
    monotonicMs: () => systemClock.monotonicMs() + skippedMs,
    skip: (ms: number) => {
      skippedMs += ms;
    },
  };
}

function endsOf({ counted }: Fixture): readonly string[] {
  return counted.filter((one) => one.startsWith('end'));
}

describe('the ends of watches that a reflector counts', () => {
  const settings = { ...FAST, silenceLimitMs: 300_000, watchTimeoutSeconds: 30, repeatTimeoutSeconds: 10 };
  async function start() {
    const clock = createSkippingClock();
    return { fixture: await startReflector({ clock, settings }), clock };
  }

  it('distinguish a watch that lasted as long as requested from one that the server cut short', async () => {
    const { fixture, clock } = await start();
    await using _fixture = fixture;
    let watch = await followed(fixture, 10);
    for (const [version, share, repetitions] of [
      [20, 1, 1],
      [30, 0.8, 2],
    ] as const) {
      clock.skip(Number(watch.url.searchParams.get('timeoutSeconds')) * 1_000 * share);
      watch.events(bookmark(version));
      watch.end();
      const next = await bothWatches(fixture);
      next.repetition.events(bookmark(version));
      await until('the repetition', () => endsOf(fixture).length === 2 * repetitions, { limitMs: 15_000 });
      watch = next.watch;
    }
    expect(endsOf(fixture)).to.deep.equal([
      'end Note live ended',
      'end Note repetition complete',
      'end Note live cut short',
      'end Note repetition complete',
    ]);
  });

  it('include those of the repetition, which the server also ends, cuts short or refuses', async () => {
    const { fixture, clock } = await start();
    await using _fixture = fixture;
    const first = await followed(fixture, 10);
    first.events(bookmark(14));
    first.end();
    let { repetition } = await bothWatches(fixture);
    clock.skip(10_000);
    repetition.events(['ADDED', aNote('a', 11)]);
    repetition.end();
    repetition = await fixture.server.next();
    repetition.events(['ADDED', aNote('b', 12)]);
    repetition.end();
    repetition = await fixture.server.next();
    repetition.json(410, { kind: 'Status', reason: 'Expired' });
    await until('all ends', () => endsOf(fixture).length === 4, { limitMs: 15_000 });
    expect(endsOf(fixture)).to.deep.equal([
      'end Note live cut short',
      'end Note repetition ended',
      'end Note repetition cut short',
      'end Note repetition Gone',
    ]);
  });

  it('do not include a repetition that ends with its live watch, or with the process', async () => {
    const { fixture, clock } = await start();
    await using _fixture = fixture;
    const first = await followed(fixture, 10);
    clock.skip(40_000);
    first.events(bookmark(14));
    first.end();
    const { watch, repetition } = await bothWatches(fixture);
    repetition.events(bookmark(12));
    clock.skip(40_000);
    watch.events(bookmark(15));
    watch.end();
    await bothWatches(fixture);
    fixture.stop();
    await fixture.running;
    expect(endsOf(fixture)).to.deep.equal(['end Note live ended', 'end Note live ended']);
  });
});
