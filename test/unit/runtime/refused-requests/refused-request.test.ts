import { expect } from 'chai';
import {
  MAX_REFUSED,
  MAX_REQUEST_IDS,
  mergeEntries,
  type RefusedEntry,
  SAME_ENTRY_MS,
  shownPath,
} from '#runtime/refused-requests/refused-request.ts';

import { aRefusedEntry } from '#test/support/builders/refused-requests.ts';

const FIRST_MS = 100 * SAME_ENTRY_MS;

function anEntry(change: Partial<RefusedEntry> = {}): RefusedEntry {
  const times = { firstAtMs: FIRST_MS, lastAtMs: FIRST_MS };
  return aRefusedEntry({ replica: 'a', requestIds: ['one'], ...times, param: 'urls[0].url', ...change });
}

describe('shownPath', () => {
  for (const [path, shown] of [
    ['urls[3].url', 'urls[3].url'],
    ['urls[12]', 'urls[12]'],
    ['urls[3].headers.X-Secret', 'urls[3].headers'],
    ['object.tags.secret', 'object.tags'],
    ['metadata.secret', 'metadata'],
    ['bucket_name', 'bucket_name'],
    ['https://example.com/?sig=SECRET', 'https'],
    ['SECRET', ''],
    ['', ''],
  ] as const)
    it(`shows ${shown === '' ? 'nothing' : shown} of ${path === '' ? 'nothing' : path}`, () => {
      expect(shownPath(path)).to.equal(shown);
    });
});

describe('mergeEntries', () => {
  it('uses the latest state of an entry of a process, and adds up processes', () => {
    const later = { requestIds: ['two', 'one'], lastAtMs: FIRST_MS + 5, count: 2 };
    const other = { replica: 'b', requestIds: ['three'], firstAtMs: FIRST_MS + 1, lastAtMs: FIRST_MS + 9 };
    const merged = mergeEntries([anEntry(later), anEntry(), anEntry({ ...other, param: 'urls[7].url' })]);
    expect(merged).to.deep.equal([
      anEntry({
        replica: 'b',
        requestIds: ['three', 'two', 'one'],
        lastAtMs: FIRST_MS + 9,
        count: 3,
        param: 'urls[7].url',
      }),
    ]);
  });

  it('keeps refusals apart that differ in the token, the code, the field or the ten minutes', () => {
    const changes: Partial<RefusedEntry>[] = [
      {},
      { token: 'zj_B...wxyz' },
      { code: 'parameter_missing' },
      { param: 'key' },
      { method: 'GET' },
      { firstAtMs: FIRST_MS + SAME_ENTRY_MS, lastAtMs: FIRST_MS + SAME_ENTRY_MS },
    ];
    expect(mergeEntries(changes.map(anEntry))).to.have.length(changes.length);
  });

  it('returns the newest entries and request IDs, up to their limits', () => {
    const many = Array.from({ length: MAX_REFUSED + 5 }, (_, n) =>
      anEntry({ token: `zj_${n}`, lastAtMs: FIRST_MS + n }),
    );
    const merged = mergeEntries(many);
    expect(merged).to.have.length(MAX_REFUSED);
    expect(merged[0]?.lastAtMs).to.equal(FIRST_MS + MAX_REFUSED + 4);
    const ids = Array.from({ length: MAX_REQUEST_IDS }, (_, n) => `id-${n}`);
    const [joined] = mergeEntries([anEntry({ requestIds: ids }), anEntry({ replica: 'b' })]);
    expect(joined?.requestIds).to.have.length(MAX_REQUEST_IDS);
  });
});
