import { expect } from 'chai';
import { tableRows } from '#scripts/regular-expression-table.ts';

const KNOWN = '| api/a.ts | `` /^(a\\|b)$/u `` | `` "a"… `` | 0.001 |  |';
const GONE = '| api/b.ts | `` /b/ `` | `` "b"… `` | 0.002 |  |';
const DOCUMENT = `# Regular expressions\n\n| file | expression |\n|---|---|\n${KNOWN}\n${GONE}\n`;

describe('the table of regular expressions', () => {
  it('keeps the measured cells of a known expression', () => {
    const expressions = [{ path: 'api/a.ts', source: '^(a|b)$', flags: 'u' }];
    function measure(): never {
      throw new Error('measured again');
    }
    expect(tableRows(DOCUMENT, expressions, measure)).to.deep.equal([KNOWN]);
  });

  it('measures an expression that is new, has other flags or is in another file', () => {
    const expressions = [
      { path: 'api/a.ts', source: 'c', flags: '' },
      { path: 'api/a.ts', source: '^(a|b)$', flags: 'i' },
      { path: 'api/c.ts', source: 'b', flags: '' },
    ];
    expect(tableRows(DOCUMENT, expressions, () => ' new |')).to.deep.equal([
      '| api/a.ts | `` /c/ `` | new |',
      '| api/a.ts | `` /^(a\\|b)$/i `` | new |',
      '| api/c.ts | `` /b/ `` | new |',
    ]);
  });
});
