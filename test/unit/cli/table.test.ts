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

  it('removes control characters', () => {
    expect(toTable(['NAME'], [['a\u001b[2Jb\u202e\r\n']])).to.equal('NAME\na?[2Jb???');
    expect(toFields([['Name', 'a\u0007']])).to.equal('Name:   a?');
  });
});
