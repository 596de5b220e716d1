import { expect } from 'chai';
import { durationSeconds, exactDuration } from '#dashboard/settings/durations.ts';

describe('durations in forms', () => {
  it('are read with their units, and plain numbers as seconds', () => {
    for (const [text, seconds] of [
      ['7 days', 604_800],
      ['1 week', 604_800],
      ['90min', 5_400],
      ['1 h 30 min', 5_400],
      ['2 Hours, 5 s', 7_205],
      ['0', 0],
      ['604800', 604_800],
    ] as const)
      expect(durationSeconds(text), text).to.equal(seconds);
    for (const text of ['', 'soon', '7 moons', '-1 d', '1.5 h', 'h', '7 days!', '1 h30'])
      expect(durationSeconds(text), text).to.be.NaN;
  });

  it('are shown exactly, so that each can be read back', () => {
    expect([60, 86_400, 604_800, 5_400, 3_600, 0, 61].map(exactDuration)).to.deep.equal([
      '1 min',
      '1 day',
      '7 days',
      '90 min',
      '1 hour',
      '0 s',
      '61 s',
    ]);
    for (const seconds of [0, 1, 59, 60, 3_599, 7_200, 86_401, 2_592_000])
      expect(durationSeconds(exactDuration(seconds))).to.equal(seconds);
  });
});
