import { expect } from 'chai';
import { startLimitedHost } from '#test/support/servers/limited-host.ts';
import { readAll, withReader } from '#test/unit/zipper-image/sources/source-harness.ts';

const FILES = 1000;
const PER_WINDOW = 100;
/** Stands for a minute. Long enough that a busy machine changes the ratio little. */
const WINDOW_MS = 4000;
const MINUTE_MS = 60_000;

describe('1,000 files from a host that allows 100 requests a minute over 4 connections', () => {
  it('arrive in at most 1.2 times the time that it allows (FD2) (FD3)', async () => {
    await using host = await startLimitedHost({
      perWindow: PER_WINDOW,
      windowMs: WINDOW_MS,
      connections: 4,
    });
    const scale = WINDOW_MS / MINUTE_MS;
    const entries = await withReader(host.urls(FILES), readAll, {
      settings: {
        sourceRetryBaseMs: Math.ceil(500 * scale),
        sourceRetryMaxMs: 8000 * scale,
        sourceRetryLimitMs: 30_000 * scale,
        sourceRetryAfterMaxMs: WINDOW_MS,
      },
    });
    const bytes = entries.map((entry) => entry.bytes.toString());
    expect(bytes).to.deep.equal(Array.from({ length: FILES }, (_, n) => `/${n}`));
    // The first requests need no time.
    expect(host.windows / (FILES / PER_WINDOW - 1)).to.be.at.most(1.2);
    expect(host.throttled).to.be.at.most(150);
    expect(host.refused).to.be.at.most(60);
  });
});
