import { expect } from 'chai';
import { headOf, placedOf } from '#zipper-image/archive/recorded-entry.ts';
import { directoryHeader } from '#zipper-image/archive/zip-records.ts';
import { toZipTime } from '#zipper-image/archive/zip-time.ts';

const TIMES = [
  '1970-01-01T00:00:00Z',
  '1980-01-01T00:00:01Z',
  '2026-01-02T03:04:05.678Z',
  '2038-01-19T03:14:07Z',
  '2038-01-19T03:14:09Z',
  '2107-12-31T23:59:59Z',
  '2200-01-01T00:00:00Z',
  'no date',
];

describe('the record of an entry', () => {
  for (const [form, method, zip64] of [
    ['whole', 0, false],
    ['whole', 8, false],
    ['placed', 0, false],
    ['placed', 0, true],
    ['placed', 8, false],
    ['placed', 8, true],
    ['encoded', 8, false],
    ['encoded', 8, true],
  ] as const)
    it(`gives the same record in the directory: ${form}, method ${method}${zip64 ? ', zip64' : ''}`, () => {
      for (const time of TIMES)
        for (const name of ['a', 'dir/ü.txt']) {
          const modified = new Date(time);
          const sizes = { size: 2 ** 33, compressedSize: 2 ** 33 + 5, crc: 7 };
          const head = {
            name: Buffer.from(name),
            method,
            streamed: method === 8 && form !== 'whole',
            zip64,
            time: toZipTime(modified),
          };
          const record = placedOf({ form, head, sizes, modified });
          expect(record.time).to.be.within(0, 2 ** 32 - 1);
          const again = headOf(name, record);
          expect(again).to.deep.equal(head);
          expect(directoryHeader(again, sizes, 9).equals(directoryHeader(head, sizes, 9))).to.equal(true);
          expect(() => headOf(`${name}x`, record)).to.throw('of this name');
        }
    });
});
