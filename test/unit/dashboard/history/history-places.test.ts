import { expect } from 'chai';
import { newerPlaces, olderPlaces, readPlaces, rowsBefore } from '#dashboard/history/history-places.ts';

describe('the places of the history', () => {
  /** The parameter of each of the first pages, which have 25 jobs each. */
  function pagesOf(count: number): readonly string[] {
    const pages = [''];
    for (let n = 1; n < count; n += 1) pages.push(olderPlaces(readPlaces(pages.at(-1) ?? ''), `c${n}`, 25));
    return pages;
  }

  it('lead back the way they came', () => {
    const pages = pagesOf(4);
    expect(pages).to.deep.equal(['', 'c1.25', 'c1.25.c2.50', 'c1.25.c2.50.c3.75']);
    expect(pages.map((page) => newerPlaces(readPlaces(page)))).to.deep.equal([
      undefined,
      ...pages.slice(0, -1),
    ]);
    expect(pages.map((page) => rowsBefore(readPlaces(page)))).to.deep.equal([0, 25, 50, 75]);
  });

  it('read a cursor alone, as in links of older versions', () => {
    const shown = readPlaces('abc');
    expect(shown.places).to.deep.equal([{ cursor: 'abc', rows: undefined }]);
    expect(rowsBefore(shown)).to.equal(undefined);
    expect(newerPlaces(shown)).to.equal('');
    const older = olderPlaces(shown, 'def', 25);
    expect(readPlaces(older).places.map(({ cursor }) => cursor)).to.deep.equal(['abc', 'def']);
    expect(rowsBefore(readPlaces(older))).to.equal(undefined);
  });

  it('keep URLs short: the way back then ends before the first page', () => {
    const last = readPlaces(pagesOf(40).at(-1) ?? '');
    expect(last).to.deep.include({ isCut: true });
    expect(last.places).to.have.lengthOf(30);
    expect(rowsBefore(last)).to.equal(39 * 25);
    let back = 0;
    for (let at: string | undefined = pagesOf(40).at(-1); at !== undefined; at = newerPlaces(readPlaces(at)))
      back += 1;
    expect(back).to.equal(30);
  });
});
