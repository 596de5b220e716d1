import { expect } from 'chai';
import { retryAfterMs } from '#runtime/http/retry-after.ts';
import { NOW } from '#test/support/builders/objects.ts';

const LONGEST = 2 ** 31 * 1000;

describe('retryAfterMs', () => {
  const cases: readonly [string, string | readonly string[] | undefined, number | undefined][] = [
    ['seconds', '120', 120_000],
    ['seconds with spaces around them', ' 120 ', 120_000],
    ['leading zeros', '007', 7000],
    ['zero', '0', 0],
    ['more seconds than the maximum', '99999999999', LONGEST],
    ['more seconds than a number can hold', '9'.repeat(400), LONGEST],
    ['a date', 'Mon, 04 May 2026 12:00:30 GMT', 30_000],
    ['a date in the past', 'Mon, 04 May 2026 11:00:00 GMT', 0],
    ['an RFC 850 date', 'Monday, 04-May-26 12:00:30 GMT', 30_000],
    ['an RFC 850 year more than 50 years ahead', 'Sunday, 06-Nov-94 08:49:37 GMT', 0],
    ['an asctime date, which is in UTC', 'Mon May  4 12:00:30 2026', 30_000],
    ['a leap second', 'Wed, 30 Jun 2027 23:59:60 GMT', Date.UTC(2027, 6, 1) - NOW.getTime()],
    [
      'several headers, of which the longest wait counts',
      ['5', 'Mon, 04 May 2026 12:00:30 GMT', '7'],
      30_000,
    ],
    ['several headers, of which one is valid', ['soon', '7'], 7000],
    ['several invalid headers', ['soon', ''], undefined],
    ['a negative number', '-5', undefined],
    ['a fraction', '1.5', undefined],
    ['an exponent', '1e3', undefined],
    ['a hexadecimal number', '0x10', undefined],
    ['two values in one header', '5, 7', undefined],
    ['an ISO 8601 date', '2026-05-04T12:00:30Z', undefined],
    ['a date in another time zone', 'Mon, 04 May 2026 12:00:30 +0200', undefined],
    ['a day that does not exist', 'Tue, 31 Feb 2027 12:00:30 GMT', undefined],
    ['an hour that does not exist', 'Mon, 04 May 2026 25:00:30 GMT', undefined],
    ['a month that does not exist', 'Mon, 04 Mai 2026 12:00:30 GMT', undefined],
    ['a word', 'soon', undefined],
    ['an empty header', '', undefined],
    ['no header', undefined, undefined],
  ];
  for (const [name, header, want] of cases)
    it(`reads ${name}`, () => {
      expect(retryAfterMs(header, NOW)).to.equal(want);
    });
});
