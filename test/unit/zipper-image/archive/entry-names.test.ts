/** Names as requests and ZipJobs have them. */
import { expect } from 'chai';
import { PORTABLE_NAMES } from '#crds/zip-job.ts';
import { countNormalized } from '#test/support/builders/count-normalized.ts';
import { plan, planned, refusal } from '#test/support/builders/planned-names.ts';

const JAPANESE = '報'.repeat(94);
const EMOJI = '👩‍👩‍👧'.repeat(40);

/** Names that `rewrite` mends, and what it writes. */
const MENDED: readonly (readonly [what: string, name: string, written: string])[] = [
  ['a name of 94 Japanese characters', `${JAPANESE}.pdf`, `${'報'.repeat(83)}.pdf`],
  ['a left-to-right mark', 'report\u200e.pdf', 'report.pdf'],
  ['a right-to-left mark', '\u200freport.pdf', 'report.pdf'],
  ['an override that shows another extension', 'gpj\u202eexe.scr', 'gpjexe.scr'],
  ['an isolate', 'a\u2066b\u2069.txt', 'ab.txt'],
  ['a colon after one letter', 'Q: what.txt', 'Q_ what.txt'],
  ['a colon after one letter in a folder', 'x/Q:what.txt', 'x/Q_what.txt'],
  ['a letter and a colon', 'C:x', 'C_x'],
  ['a tab at the end', 'report.txt\t', 'report.txt'],
  ['a carriage return at the end', 'report.txt\r', 'report.txt'],
  ['a line break at the end', 'report.txt\r\n', 'report.txt'],
  ['a line break inside', 'two\nlines.txt', 'two_lines.txt'],
  ['NUL', 'a\0b', 'a_b'],
  ['C1', 'a\u0085b', 'a_b'],
  ['a tab before a folder', 'a\t/b', 'a/b'],
  ['only a tab', '\t', '_'],
  ['only a mark', 'a/\u200e/b', 'a/_/b'],
  ['a device', 'aux.h', '_aux.h'],
  ['a device behind a mark', '\u200econ', '_con'],
  ['dots and spaces at the end', 'end. . ', 'end____'],
  ['two dots with a mark between them', '.\u200e./x', '__/x'],
  ['half of a surrogate pair', 'a\ud800b\udc00', 'a_b_'],
  ['decomposed letters', 'cafe\u0301.txt', 'caf\u00e9.txt'],
  ['letters that a mark keeps apart', 'cafe\u200e\u0301.txt', 'caf\u00e9.txt'],
  ['a long extension and a long name', `${'x'.repeat(300)}.tar.gz`, `${'x'.repeat(233)}.tar.gz`],
];

/** Names that stay refused: rewritten, they would be another file than the one that was asked for. */
const NEVER = [
  '..',
  '../a',
  'a/../b',
  './a',
  'a/.',
  '/etc/passwd',
  'C:/x',
  'c:\\x',
  'a\\b',
  'a\\\t',
  'a//b',
  'a/',
  `${'d/'.repeat(200)}../x`,
];

describe('names of entries', () => {
  for (const [what, name, written] of MENDED)
    it(`are rewritten before they are checked: ${what} (FD12)`, () => {
      expect(refusal([name], 'rewrite')).to.equal(undefined);
      expect(planned([name], 'rewrite')).to.deep.equal([written]);
      expect(refusal([written], 'refuse')).to.equal(undefined);
    });

  it('may be long combinations of emoji, which are never cut within a character (FD12)', () => {
    const [written = ''] = planned([`${EMOJI}.png`], 'rewrite');
    expect(written.isWellFormed()).to.equal(true);
    expect(Buffer.byteLength(written)).to.be.within(240, 255);
    expect(written.endsWith('.png')).to.equal(true);
    expect(EMOJI.startsWith(written.slice(0, -4))).to.equal(true);
  });

  for (const name of NEVER)
    it(`are refused even with rewrite: ${JSON.stringify(name.slice(-20))} (FD12)`, () => {
      for (const mode of PORTABLE_NAMES) expect(refusal(['good', name], mode)).to.have.property('index', 1);
    });

  it('that rewriting makes equal are numbered, and equal ones are refused (FD12)', () => {
    const names = ['a\t', 'a', 'A\u200e', 'x/b\r', 'x/b', 'b/c', 'b'];
    expect(refusal(names, 'rewrite')).to.equal(undefined);
    expect(planned(names, 'rewrite')).to.deep.equal([
      'a',
      'a (2)',
      'A (3)',
      'x/b',
      'x/b (2)',
      'b/c',
      'b (2)',
    ]);
    expect(refusal(['a\t', 'b', 'a\t'], 'rewrite')).to.deep.equal({
      index: 2,
      problem: 'is already the name of another entry',
    });
  });

  it('that differ only in normalization are one name, which rewrite composes and numbers (FD11)', () => {
    const onlyEncoded = 'Unicode normalization';
    const folder = 'both a file and a directory';
    for (const { names, problem } of [
      { names: ['caf\u00e9.txt', 'cafe\u0301.txt'], problem: onlyEncoded },
      { names: ['caf\u00e9', 'cafe\u0301/x'], problem: folder },
      { names: ['u\u0308/x', '\u00fc'], problem: folder },
      { names: ['\u212b', '\u00c5'], problem: onlyEncoded },
    ]) {
      for (const mode of ['keep', 'refuse'] as const) {
        const found = refusal(names, mode);
        expect(found?.index, mode).to.equal(1);
        expect(found?.problem).to.contain(problem);
      }
      expect(refusal(names, 'rewrite')).to.equal(undefined);
      const written = planned(names, 'rewrite');
      expect(refusal(written, 'refuse')).to.equal(undefined);
      expect(written.map((name) => name.normalize('NFC'))).to.deep.equal(written);
    }
    expect(planned(['cafe\u0301.txt'], 'keep')).to.deep.equal(['cafe\u0301.txt']);
  });

  it('that a manifest also has, in another normalization, are refused in every mode (FD11)', () => {
    for (const portableNames of PORTABLE_NAMES)
      for (const name of ['m\u00e9', 'me\u0301', 'me\u0301/x'])
        expect(() => plan(['a', name], { portableNames, manifestEntry: 'm\u00e9' }), portableNames).to.throw(
          'file 1',
        );
  });

  it('above 240 UTF-16 units are refused or shortened, with their extension (FD16)', () => {
    const fits = [
      `${'d'.repeat(120)}/${'f'.repeat(115)}.txt`,
      `${'d/'.repeat(119)}ab`,
      `${'😀'.repeat(60)}/${'😀'.repeat(57)}.txt`,
    ];
    for (const name of fits) {
      expect(name.length).to.be.within(239, 240);
      for (const mode of PORTABLE_NAMES) expect(refusal([name], mode), mode).to.equal(undefined);
      expect(planned([name], 'rewrite')).to.deep.equal([name]);
    }
    const long = [
      `${'d'.repeat(120)}/${'f'.repeat(116)}.txt`,
      `${'d'.repeat(200)}/${'e'.repeat(195)}.pdf`,
      `${'d'.repeat(100)}/${'e'.repeat(100)}/${'g'.repeat(100)}/${'f'.repeat(90)}.tar.gz`,
      `${'d/'.repeat(300)}f.txt`,
      `${'名'.repeat(80)}/${'名'.repeat(80)}/${'名'.repeat(80)}/x.jpeg`,
      `${'console'.repeat(10)}/${'aux '.repeat(50)}/${'nul. '.repeat(40)}/f.md`,
    ];
    for (const name of long) {
      expect(refusal([name], 'keep')).to.equal(undefined);
      expect(refusal(['a', name], 'refuse')?.problem).to.match(/240 characters|reserved device/);
      const names = [name, name.replace(/((?:\.tar)?\.\w+)$/, '2$1')];
      const written = planned(names, 'rewrite');
      expect(refusal(written, 'refuse'), written.join()).to.equal(undefined);
      const extension = /(?:\.tar)?\.\w+$/.exec(name)?.[0] ?? '';
      for (const one of written) expect(one.endsWith(extension), one).to.equal(true);
    }
  });

  it('of placeholders are allowed by the same rules (FD16)', () => {
    const names = [
      `${'d'.repeat(229)}/nullable.c`,
      'con',
      'a',
      'a.error.txt',
      `${'d'.repeat(230)}/con     x`,
    ];
    const all = plan(names, { portableNames: 'rewrite' });
    const placeholders = names.map((_, index) => all.placeholderOf(index));
    expect(refusal([...planned(names, 'rewrite'), ...placeholders], 'refuse')).to.equal(undefined);
    expect(placeholders[2]).to.equal('a.error-2.txt');
  });

  it('of placeholders are compared a few times each, although long ones differ only before a number (FD16)', () => {
    const letters = 'abcdefghijklmnopqrstuvwxyz';
    for (const [portableNames, length] of [
      ['refuse', 228],
      ['rewrite', 228],
      ['keep', 243],
    ] as const) {
      const names = Array.from({ length: 400 }, (_, family) =>
        ['0', '1'].map(
          (end) =>
            `${'x'.repeat(length)}${letters[Math.floor(family / 26)]}${letters[family % 26]}______.pd${end}`,
        ),
      ).flat();
      const placeholders: string[] = [];
      const compared = countNormalized(() => {
        const all = plan(names, { portableNames });
        for (const index of names.keys()) placeholders.push(all.placeholderOf(index));
      });
      expect(new Set(placeholders).size).to.equal(names.length);
      expect(refusal([...names, ...placeholders], portableNames)).to.equal(undefined);
      expect(compared / names.length, portableNames).to.be.within(1, 25);
    }
  });
});
