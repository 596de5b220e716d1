import { expect } from 'chai';
import { type Excess, startLimitedHost } from '#test/support/servers/limited-host.ts';
import { readAll, withReader } from './source-harness.ts';

const FILES = 300;
const CONNECTIONS = 4;

describe('downloads from a host that carries 4 connections', () => {
  const kinds: readonly (readonly [Excess, string])[] = [
    ['refuse', 'resets further ones when they are accepted'],
    ['reset', 'resets further ones at their request'],
    ['throttle', 'responds 429 to further requests'],
    ['hang', 'does not respond on further ones until another ends'],
  ];
  for (const [excess, what] of kinds)
    it(`arrive, with few requests above the limit, if it ${what} (FD3)`, async () => {
      await using host = await startLimitedHost({ connections: CONNECTIONS, excess });
      const entries = await withReader(host.urls(FILES), readAll, {
        // A busy machine must not look like a host that does not respond.
        settings: { sourceHeadersTimeoutMs: excess === 'hang' ? 400 : 10_000, sourceRetryLimitMs: 2000 },
      });
      const bytes = entries.map((entry) => entry.bytes.toString());
      expect(bytes).to.deep.equal(Array.from({ length: FILES }, (_, n) => `/${n}`));
      // At first 28 at once, and then those that show whether the limit still holds.
      expect(host.refused + host.throttled).to.be.within(1, 60);
    });
});
