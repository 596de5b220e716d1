import { expect } from 'chai';
import { type EntryNameProblem, findConflicts } from '#runtime/entries/entry-name.ts';
import { nameFault } from '#test/support/builders/name-fault.ts';

const UNSAFE: readonly (readonly [string, EntryNameProblem])[] = [
  ['', 'empty'],
  ['/etc/passwd', 'absolute'],
  ['C:\\x', 'backslash'],
  ['C:x', 'drive'],
  ['c:/x', 'drive'],
  ['a\\b', 'backslash'],
  ['.', 'dot-segment'],
  ['..', 'dot-segment'],
  ['../a', 'dot-segment'],
  ['a/../b', 'dot-segment'],
  ['a/./b', 'dot-segment'],
  ['a//b', 'empty-segment'],
  ['a/', 'trailing-slash'],
  ['a\u0000b', 'control-character'],
  ['a\nb', 'control-character'],
  ['a\u007f', 'control-character'],
  ['a\u0085', 'control-character'],
  ['a\u202egnp.exe', 'bidi-control'],
  ['a\u2066b', 'bidi-control'],
  ['a\ud800', 'lone-surrogate'],
  ['\udc00a', 'lone-surrogate'],
  ['x'.repeat(256), 'segment-too-long'],
  ['ä'.repeat(128), 'segment-too-long'],
  [`${'x'.repeat(200)}/`.repeat(5).concat('y'.repeat(30)), 'too-long'],
];

describe('the names of an archive', () => {
  for (const [name, reason] of UNSAFE) {
    it(`refuses ${JSON.stringify(name.slice(0, 30))} as ${reason} (Z12)`, () => {
      expect(nameFault(['good.txt', name])).to.deep.equal({ index: 1, reason });
    });
  }

  it('refuses every bidirectional control character of Unicode (N16)', () => {
    const controls = [
      0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069,
    ];
    for (const code of controls)
      expect(nameFault([`a${String.fromCodePoint(code)}b`]), code.toString(16)).to.deep.equal({
        index: 0,
        reason: 'bidi-control',
      });
  });

  it('accepts names in any script and names at the limits (Z12)', () => {
    const names = [
      'a.txt',
      'dir/b.txt',
      'dir/..c',
      '...',
      ' leading and trailing ',
      'grüße/日本語/😀.png',
      'x'.repeat(255),
      `${`${'z'.repeat(255)}/`.repeat(3)}${'y'.repeat(256 - 1)}`,
      'con',
      'ab:c',
      'café',
      'cafe\u0301.txt',
    ];
    expect(nameFault(names)).to.equal(undefined);
  });

  it('refuses a duplicate at its second position (Z12)', () => {
    expect(nameFault(['a', 'b', 'a', 'b'])).to.deep.equal({ index: 2, reason: 'duplicate' });
    expect(nameFault(['a', 'A'])).to.equal(undefined);
  });

  it('refuses a name that is also a directory of another name, in any order (Z12)', () => {
    const fault = { index: 2, reason: 'file-and-directory' };
    expect(nameFault(['a', 'x', 'a/b'])).to.deep.equal(fault);
    expect(nameFault(['a/b/c', 'x', 'a/b'])).to.deep.equal(fault);
    expect(nameFault(['a/b', 'a.b', 'ab', 'a-b/c', 'a/c'])).to.equal(undefined);
  });

  it('checks ten thousand deep names without storing their directories', () => {
    const deep = 'd/'.repeat(500);
    const names = Array.from({ length: 10_000 }, (_, index) => `${index}/${deep}f`);
    expect(nameFault(names)).to.equal(undefined);
  });
});

describe('findConflicts', () => {
  it('finds every name that conflicts with an earlier one, in the order of the names (C4)', () => {
    expect(findConflicts(['a', 'a/b', 'x', 'a/c', 'x', 'x', 'a/b/d'])).to.deep.equal([
      { index: 1, reason: 'file-and-directory' },
      { index: 3, reason: 'file-and-directory' },
      { index: 4, reason: 'duplicate' },
      { index: 5, reason: 'duplicate' },
      { index: 6, reason: 'file-and-directory' },
    ]);
  });

  it('finds the same names as a comparison of all pairs', () => {
    const names = Array.from({ length: 400 }, (_, n) =>
      `${n % 7}/${n % 3}/${n % 11}`.slice(0, 1 + ((n * n) % 6)),
    );
    function isBelow(name = '', other = ''): boolean {
      return `${name}/`.startsWith(`${other}/`);
    }
    const slow = names.flatMap((name, index) =>
      names.slice(0, index).some((other) => isBelow(name, other) || isBelow(other, name)) ? [index] : [],
    );
    expect(findConflicts(names).map(({ index }) => index)).to.deep.equal(slow);
  });
});
