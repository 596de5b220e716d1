import { expect } from 'chai';
import { readHttpDate } from '#runtime/http/http-date.ts';
import { NOW } from '#test/support/builders/objects.ts';

const INSTANT = '1994-11-06T08:49:37.000Z';

describe('readHttpDate', () => {
  const zone = process.env['TZ'];
  afterEach(() => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });

  for (const [format, text] of [
    ['IMF-fixdate', 'Sun, 06 Nov 1994 08:49:37 GMT'],
    ['RFC 850', 'Sunday, 06-Nov-94 08:49:37 GMT'],
    ['asctime', 'Sun Nov  6 08:49:37 1994'],
  ] as const)
    it(`reads ${format} in every time zone (FD17)`, () => {
      for (const local of ['UTC', 'Asia/Tokyo', 'America/New_York']) {
        process.env['TZ'] = local;
        expect(readHttpDate(text, NOW)?.toISOString(), local).to.equal(INSTANT);
      }
    });

  for (const [text, want] of [
    ['Thu, 29 Feb 2024 00:00:00 GMT', '2024-02-29T00:00:00.000Z'],
    ['Sat, 31 Dec 2016 23:59:60 GMT', '2017-01-01T00:00:00.000Z'],
    ['Thu, 01 Jan 1970 00:00:00 GMT', '1970-01-01T00:00:00.000Z'],
    ['Mon, 01 Jan 1900 00:00:00 GMT', '1900-01-01T00:00:00.000Z'],
    ['Tuesday, 04-May-76 00:00:00 GMT', '2076-05-04T00:00:00.000Z'],
    ['Wednesday, 04-May-77 00:00:00 GMT', '1977-05-04T00:00:00.000Z'],
    ['Thu Jan 11 00:00:00 2024', '2024-01-11T00:00:00.000Z'],
  ] as const)
    it(`reads ${text}`, () => {
      expect(readHttpDate(text, NOW)?.toISOString()).to.equal(want);
    });

  for (const text of [
    '0',
    '-1',
    '',
    '1700000000',
    '2015-10-21',
    '2015-10-21T07:28:00Z',
    'Mon, 01 Jan 0001 00:00:00 GMT',
    'Fri, 31 Dec 1899 23:59:59 GMT',
    'Mon Jan  1 00:00:00 0001',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 94 08:49:37 GMT',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 06 Nov 1994 08:49:37 +0000',
    'Sun, 06 Nov 1994 08:49:37 UTC',
    'Sun, 06 Nov 1994 08:49:37 gmt',
    'Sun, 06 Nov 1994 8:49:37 GMT',
    'Sun, 06 Nov 1994 08:49 GMT',
    'Sun, 06 Nov 1994 08:49:37.5 GMT',
    'Sun,  06 Nov 1994 08:49:37 GMT',
    '06 Nov 1994 08:49:37 GMT',
    'So, 06 Nov 1994 08:49:37 GMT',
    'Abc, 06 Nov 1994 08:49:37 GMT',
    'Sun, 06 nov 1994 08:49:37 GMT',
    'Sun, 06-Nov-1994 08:49:37 GMT',
    'Sun, 06-Nov-94 08:49:37 GMT',
    'Someday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov 06 08:49:37 1994 GMT',
    'Sun Nov 6 08:49:37 1994',
    'Sun, 31 Nov 1994 08:49:37 GMT',
    'Wed, 29 Feb 2023 00:00:00 GMT',
    'Sun, 00 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 24:00:00 GMT',
    'Sun, 06 Nov 1994 08:60:37 GMT',
    'Sun, 06 Nov 1994 08:49:61 GMT',
    '06/11/1994 08:49:37',
    '6 novembre 1994',
    'yesterday',
  ])
    it(`reads no date in ${JSON.stringify(text)} (FD17)`, () => {
      expect(readHttpDate(text, NOW)).to.equal(undefined);
    });
});
