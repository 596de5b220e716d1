import { expect } from 'chai';
import { lastUse } from '#dashboard/pages/tokens/last-use.ts';

describe('lastUse', () => {
  const NOW = new Date('2026-01-10T12:00:00Z');
  for (const [at, said] of [
    [null, 'never'],
    ['2026-01-10T12:00:05Z', 'in the last hour'],
    ['2026-01-10T11:30:00Z', 'in the last hour'],
    ['2026-01-09T13:00:00Z', 'in the last 24 hours'],
    ['2026-01-09T11:00:00Z', 'yesterday or the day before'],
    ['2026-01-03T12:00:00Z', '7 days ago'],
  ] as const)
    it(`says '${said}' of ${at ?? 'no use'}`, () => {
      expect(lastUse(at, NOW)).to.equal(said);
    });
});
