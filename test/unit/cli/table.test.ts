import { expect } from 'chai';
import { toFields, toTable } from '#cli/table.ts';

describe('toTable', () => {
  it('aligns columns and shows a missing value as a dash', () => {
    const table = toTable(
      ['NAME', 'JOBS'],
      [
        ['a-long-name', 3],
        ['b', null],
        ['', 0],
      ],
    );
    expect(table).to.equal('NAME          JOBS\na-long-name   3\nb             -\n-             0');
  });

  it('prints a table of 200,000 rows (UI26)', () => {
    const rows = Array.from({ length: 200_000 }, (_, index) => [index === 150_000 ? 'the-longest' : 'a', 1]);
    const lines = toTable(['NAME', 'JOBS'], rows).split('\n');
    expect([lines.length, lines[0], lines[1]]).to.deep.equal([
      200_001,
      'NAME          JOBS',
      'a             1',
    ]);
  });

  it('removes control characters', () => {
    expect(toTable(['NAME'], [['a\u001b[2Jb\u202e\r\n']])).to.equal('NAME\na?[2Jb???');
    expect(toFields([['Name', 'a\u0007']])).to.equal('Name:   a?');
  });
});
