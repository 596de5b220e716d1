import { expect } from 'chai';
import { systemClock } from '#runtime/time/clock.ts';
import { FAST, type Fixture, followed, startReflector } from './reflector-fixture.ts';

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
  const settings = { ...FAST, silenceLimitMs: 300_000, watchTimeoutSeconds: 30 };
  async function start() {
    const clock = createSkippingClock();
    return { fixture: await startReflector({ clock, settings }), clock };
  }

  it('distinguish a watch that lasted as long as requested from one that the server cut short', async () => {
    const { fixture, clock } = await start();
    await using _fixture = fixture;
    let watch = await followed(fixture, 10);
    for (const [version, share] of [
      [20, 1],
      [30, 0.8],
    ] as const) {
      clock.skip(Number(watch.url.searchParams.get('timeoutSeconds')) * 1_000 * share);
      watch.events(bookmark(version));
      watch.end();
      watch = await fixture.server.next();
    }
    expect(endsOf(fixture)).to.deep.equal(['end Note ended', 'end Note cut short']);
  });

  it('do not include a watch that ends with the process', async () => {
    const { fixture } = await start();
    await using _fixture = fixture;
    await followed(fixture, 10);
    fixture.stop();
    await fixture.running;
    expect(endsOf(fixture)).to.deep.equal([]);
  });
});
