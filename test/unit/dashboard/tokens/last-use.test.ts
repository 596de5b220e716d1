import { expect } from 'chai';
import { lastUse } from '#dashboard/tokens/last-use.ts';

describe('lastUse', () => {
  const NOW = new Date('2026-01-10T12:00:00Z');
  for (const [at, text] of [
    [null, 'Never'],
    ['2026-01-10T12:00:05Z', 'In the last hour'],
    ['2026-01-10T11:30:00Z', 'In the last hour'],
    ['2026-01-09T13:00:00Z', 'In the last 24 hours'],
    ['2026-01-09T11:00:00Z', '1 to 2 days ago'],
    ['2026-01-03T12:00:00Z', '7 days ago'],
  ] as const)
    it(`returns '${text}' for ${at ?? 'no use'}`, () => {
      expect(lastUse(at, NOW)).to.equal(text);
    });
});
