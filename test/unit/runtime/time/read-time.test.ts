import { expect } from 'chai';
import { readTime } from '#runtime/time/read-time.ts';

const FORM = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:Z|[+-]\d{2}:\d{2})$/;

describe('readTime', () => {
  for (const [text, time] of [
    ['2026-01-31T23:59:59Z', '2026-01-31T23:59:59.000Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['2026-03-01T00:30:00+02:00', '2026-02-28T22:30:00.000Z'],
  ] as const)
    it(`reads ${text}`, () => {
      expect(readTime(text, FORM)?.toISOString()).to.equal(time);
    });

  for (const text of [
    '2026-02-30T00:00:00Z',
    '2026-02-29T00:00:00Z',
    '2026-04-31T00:00:00+02:00',
    '2026-13-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T12:60:00Z',
    '2026-01-31T12:00:60Z',
    '2026-01-31T12:00Z',
    '2026-01-31',
    '',
  ])
    it(`refuses "${text}"`, () => {
      expect(readTime(text, FORM)).to.equal(undefined);
    });
});
