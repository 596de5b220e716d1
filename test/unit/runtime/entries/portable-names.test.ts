import { expect } from 'chai';
import { foldName } from '#runtime/entries/name-index.ts';
import { toPortableName, toPortableNames } from '#runtime/entries/portable-names.ts';
import { countNormalized } from '#test/support/builders/count-normalized.ts';
import { nameFault } from '#test/support/builders/name-fault.ts';

const NOT_FOR_WINDOWS = [
  ['CON', 'windows-device', '_CON'],
  ['nul.txt', 'windows-device', '_nul.txt'],
  ['dir/Com1.tar.gz', 'windows-device', 'dir/_Com1.tar.gz'],
  ['LPT9', 'windows-device', '_LPT9'],
  ['aux/file', 'windows-device', '_aux/file'],
  ['PRN .x', 'windows-device', '_PRN .x'],
  ['com\u00b2', 'windows-device', '_com\u00b2'],
  ['a<b>c', 'windows-character', 'a_b_c'],
  ['12:30.log', 'windows-character', '12_30.log'],
  ['what?/"x|y*"', 'windows-character', 'what_/_x_y__'],
  ['ends with dot.', 'windows-ending', 'ends with dot_'],
  ['ends with blank ', 'windows-ending', 'ends with blank_'],
  ['dir. ./x', 'windows-ending', 'dir___/x'],
  ['...', 'windows-ending', '___'],
] as const;

describe('portable names', () => {
  for (const [name, reason] of NOT_FOR_WINDOWS)
    it(`refuses ${JSON.stringify(name)} as ${reason} (Z13)`, () => {
      expect(nameFault(['good', name], 'refuse')).to.deep.equal({ index: 1, reason });
    });

  for (const [what, reason, names] of [
    ['letter case', 'same-elsewhere', ['a/Read.me', 'b', 'A/READ.ME']],
    ['composition', 'same-normalized', ['caf\u00e9', 'b', 'cafe\u0301']],
    ['both', 'same-elsewhere', ['CAF\u00c9', 'b', 'cafe\u0301']],
    ['a sharp s', 'same-elsewhere', ['Stra\u1e9ee.txt', 'b', 'Stra\u00dfe.txt']],
    ['a file and a directory in another case', 'file-and-directory', ['Data/x', 'b', 'data']],
  ] as const)
    it(`refuses names that collide (${what}) and reports the later index (Z13)`, () => {
      expect(nameFault(names, 'refuse')).to.deep.equal({ index: 2, reason });
    });

  it('accepts names that are valid on every system (Z13)', () => {
    const names = [
      'console',
      'com10',
      'nulls.txt',
      '.hidden',
      'a b.c',
      'Ünïcödé/名前',
      'x/CONS',
      'ab.',
      ' b',
    ];
    expect(
      nameFault(
        names.filter((name) => name !== 'ab.'),
        'refuse',
      ),
    ).to.equal(undefined);
  });
});

describe('toPortableNames', () => {
  for (const [name, , want] of NOT_FOR_WINDOWS)
    it(`writes ${JSON.stringify(name)} as ${JSON.stringify(want)} (Z13)`, () => {
      expect(toPortableNames([name])).to.deep.equal([want]);
    });

  it('keeps valid names and numbers later names that would collide (Z13)', () => {
    const names = [
      'a.txt',
      'A.txt',
      'a (2).txt',
      'A.TXT',
      'caf\u00e9',
      'cafe\u0301',
      'x:y',
      'x?y',
      '.env',
      '.ENV',
    ];
    expect(toPortableNames(names)).to.deep.equal([
      'a.txt',
      'A (3).txt',
      'a (2).txt',
      'A (4).TXT',
      'caf\u00e9',
      'caf\u00e9 (2)',
      'x_y',
      'x_y (2)',
      '.env',
      '.ENV (2)',
    ]);
  });

  it('renames a file that would also be a directory (Z13)', () => {
    expect(toPortableNames(['Data', 'data/x', 'x/y', 'X'])).to.deep.equal([
      'Data (2)',
      'data/x',
      'x/y',
      'X (2)',
    ]);
  });

  it('handles ten thousand colliding names quickly', () => {
    const names = Array.from({ length: 10_000 }, (_, n) =>
      Array.from('abcdefghijklmn', (c, bit) => ((n >> bit) & 1 ? c.toUpperCase() : c)).join(''),
    );
    expect(nameFault(toPortableNames(names), 'refuse')).to.equal(undefined);
  });

  it('numbers ten thousand long names of which numbers replace the different ends (FD16)', () => {
    const stems = Array.from({ length: 5_000 }, (_, n) => `${'x'.repeat(236)}${n}`.slice(0, 240));
    const written = toPortableNames(stems.flatMap((name) => [name, name.toUpperCase()]));
    expect(nameFault(written, 'refuse')).to.equal(undefined);
    expect(new Set(written).size).to.equal(10_000);
  });

  it('compares each name a few times, although long ones differ only before a short number (FD16)', () => {
    const names = Array.from({ length: 200 }, (_, family) =>
      Array.from(
        { length: 11 },
        (__, n) =>
          `${'x'.repeat(235)}${String.fromCodePoint(0x4e00 + family)}yyyy${String.fromCharCode(1 + n)}`,
      ),
    ).flat();
    let written: readonly string[] = [];
    const compared = countNormalized(() => (written = toPortableNames(names)));
    expect(nameFault(written, 'refuse')).to.equal(undefined);
    expect(new Set(written).size).to.equal(names.length);
    expect(compared / names.length).to.be.within(1, 25);
  });

  it('rewrites no segment of a name that stays invalid (FD12)', () => {
    for (const end of ['..', '', 'x\\y'])
      expect(
        countNormalized(() => expect(toPortableName(`${'a/'.repeat(508)}${end}`)).to.match(/\.\.$|\/$|\\/)),
        end,
      ).to.equal(0);
  });
});

describe('foldName', () => {
  it('makes every letter equal to its other cases and normal forms (Z13)', () => {
    const different: string[] = [];
    for (let code = 0; code < 0x11_0000; code += 1) {
      const character = String.fromCodePoint(code);
      if (!/\p{Changes_When_Casemapped}/u.test(character)) continue;
      const folded = foldName(character);
      const others = [character.toLowerCase(), character.toUpperCase(), character.normalize('NFD'), folded];
      if (others.some((other) => foldName(other) !== folded)) different.push(code.toString(16));
    }
    expect(different).to.deep.equal([]);
  });
});
