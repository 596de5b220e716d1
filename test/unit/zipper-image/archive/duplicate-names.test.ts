/** Names of files that are given twice, with `duplicateNames: rename`. */
import { expect } from 'chai';
import { PORTABLE_NAMES, type PortableNames } from '#crds/zip-job.ts';
import { RENAMED_LIMITS } from '#crds/zip-outcome.ts';
import { countNormalized } from '#test/support/builders/count-normalized.ts';
import { plan, refusal } from '#test/support/builders/planned-names.ts';
import { createRandom } from '#test/support/random.ts';
import type { EntryNameOptions } from '#zipper-image/archive/entry-names.ts';

function renamed(
  names: readonly string[],
  options: Partial<EntryNameOptions> | PortableNames = 'keep',
): readonly string[] {
  const change = typeof options === 'string' ? { portableNames: options } : options;
  const entries = plan(names, { ...change, duplicateNames: 'rename' });
  return names.map((_, index) => entries.nameOf(index));
}

const EXAMPLES: readonly (readonly [what: string, names: readonly string[], written: readonly string[]])[] = [
  ['the second and the third', ['a.jpg', 'a.jpg', 'a.jpg'], ['a.jpg', 'a (2).jpg', 'a (3).jpg']],
  ['in a folder', ['x.y/a', 'x.y/a'], ['x.y/a', 'x.y/a (2)']],
  ['only in the same folder', ['x/a.jpg', 'a.jpg', 'x/a.jpg'], ['x/a.jpg', 'a.jpg', 'x/a (2).jpg']],
  ['before both extensions of a tar', ['b.tar.gz', 'b.tar.gz'], ['b.tar.gz', 'b (2).tar.gz']],
  ['before the last of other extensions', ['b.min.js', 'b.min.js'], ['b.min.js', 'b.min (2).js']],
  ['behind a name that starts with a dot', ['.env', '.env'], ['.env', '.env (2)']],
  ['before its extension', ['.env.local', '.env.local'], ['.env.local', '.env (2).local']],
  ['behind a name without extension', ['README', 'README'], ['README', 'README (2)']],
  ['beside a name with a number', ['a.jpg', 'a.jpg', 'a (2).jpg'], ['a.jpg', 'a (3).jpg', 'a (2).jpg']],
  [
    'also a name with a number',
    ['a (2).jpg', 'a (2).jpg', 'a.jpg', 'a.jpg'],
    ['a (2).jpg', 'a (2) (2).jpg', 'a.jpg', 'a (3).jpg'],
  ],
  ['a file with the name of a folder', ['a', 'a/b', 'a/b/c'], ['a (2)', 'a/b (2)', 'a/b/c']],
  ['beside a folder with the number', ['a', 'a/b', 'a (2)/c'], ['a (3)', 'a/b', 'a (2)/c']],
];

describe('files of the same name that may be renamed', () => {
  for (const [what, names, written] of EXAMPLES)
    it(`get a number: ${what} (FD21)`, () => {
      for (const mode of PORTABLE_NAMES) {
        expect(refusal(names, mode, 'rename'), mode).to.equal(undefined);
        expect(renamed(names, mode), mode).to.deep.equal(written);
      }
    });

  it('are refused unless the job asks for it, in every mode (FD21)', () => {
    for (const mode of PORTABLE_NAMES) {
      expect(refusal(['a', 'b', 'a'], mode)).to.have.property('index', 2);
      expect(refusal(['a', 'b', 'a'], mode, 'refuse')).to.have.property('index', 2);
    }
  });

  it('are compared as portableNames compares them (FD21)', () => {
    const names = ['caf\u00e9.txt', 'cafe\u0301.txt', 'CAF\u00c9.txt'];
    expect(renamed(names)).to.deep.equal(['caf\u00e9.txt', 'cafe\u0301 (2).txt', 'CAF\u00c9.txt']);
    expect(renamed(names, 'refuse')).to.deep.equal([
      'caf\u00e9.txt',
      'cafe\u0301 (2).txt',
      'CAF\u00c9 (3).txt',
    ]);
    expect(renamed(['Data', 'data/x'])).to.deep.equal(['Data', 'data/x']);
    expect(renamed(['Data', 'data/x'], 'rewrite')).to.deep.equal(['Data (2)', 'data/x']);
    expect(renamed(['a?', 'a_', 'a?'], 'rewrite')).to.deep.equal(['a_', 'a_ (2)', 'a_ (3)']);
  });

  it('stay as they are without a conflict, unless names are rewritten (FD21)', () => {
    const names = ['cafe\u0301.txt', 'a', 'a'];
    for (const mode of ['keep', 'refuse'] as const)
      expect(renamed(names, mode), mode).to.deep.equal(['cafe\u0301.txt', 'a', 'a (2)']);
    expect(renamed(names, 'rewrite')).to.deep.equal(['caf\u00e9.txt', 'a', 'a (2)']);
  });

  it('keep all other rules for names (FD21)', () => {
    for (const name of ['../a', 'a//b', '/a', 'a\\b'])
      for (const mode of PORTABLE_NAMES)
        expect(refusal(['a', name], mode, 'rename'), name).to.have.property('index', 1);
    expect(refusal(['a', 'con'], 'refuse', 'rename')).to.have.property('index', 1);
    expect(() => renamed(['a', 'm.json'], { manifestEntry: 'm.json' })).to.throw('file 1');
  });

  it('get no name of a manifest, and are in the folder of a bag (FD21)', () => {
    for (const portableNames of PORTABLE_NAMES)
      expect(renamed(['m.json', 'm.json'], { portableNames, manifestEntry: 'm (2).json' })).to.deep.equal([
        'm.json',
        'm (3).json',
      ]);
    expect(renamed(['a', 'a'], { manifestFormat: 'bagit', key: 'x/b.zip' })).to.deep.equal([
      'b/data/a',
      'b/data/a (2)',
    ]);
  });

  it('are shortened before the number and the extension where the limits leave no room (FD21)', () => {
    const longest = [
      `${'x'.repeat(251)}.jpg`,
      `${'報'.repeat(82)}.tar.gz`,
      `${'d'.repeat(250)}/`.repeat(4) + `${'x'.repeat(16)}.jpg`,
      `${'d/'.repeat(510)}abc`,
      `${'d'.repeat(255)}/`.repeat(3) + `${'d'.repeat(251)}/a.b`,
      `.${'e'.repeat(254)}`,
    ];
    for (const name of longest) {
      expect(Buffer.byteLength(name)).to.be.within(250, 1024);
      const names = Array.from({ length: 12 }, () => name);
      const written = renamed(names);
      expect(written[0]).to.equal(name);
      expect(refusal(written, 'keep'), name).to.equal(undefined);
      const extension = /(\.tar)?\.\w{1,3}$/.exec(name)?.[0] ?? '';
      for (const [index, one] of written.slice(1).entries())
        expect(one.endsWith(` (${index + 2})${extension}`), one).to.equal(true);
    }
  });

  it('get the same names every time, which differ and are valid, whatever the names are (FD21)', () => {
    const random = createRandom(41);
    const parts = ['a', 'A', 'a (2)', 'b.txt', 'b (2).txt', '\u00e9', 'e\u0301', 'x'.repeat(255)];
    for (let round = 0; round < 40; round += 1) {
      const names = Array.from({ length: random.int(1, 40) }, () =>
        Array.from({ length: random.int(1, 4) }, () => random.pick(parts)).join('/'),
      );
      for (const mode of PORTABLE_NAMES) {
        if (refusal(names, mode, 'rename') !== undefined) continue;
        const written = renamed(names, mode);
        expect(renamed(names, mode)).to.deep.equal(written);
        expect(refusal(written, mode), written.join()).to.equal(undefined);
      }
    }
  });

  it('take time in proportion to their number, for 10,000 equal ones too (FD21)', () => {
    for (const mode of PORTABLE_NAMES)
      for (const name of ['a.jpg', `${'x'.repeat(236)}.jpg`]) {
        const names = Array.from({ length: 10_000 }, () => name);
        let written: readonly string[] = [];
        const compared = countNormalized(() => {
          written = renamed(names, mode);
        });
        expect(new Set(written).size).to.equal(names.length);
        expect(written.at(-1)?.endsWith(' (10000).jpg')).to.equal(true);
        expect(compared / names.length, mode).to.be.within(1, 25);
      }
  });

  it('are listed by index, as many as the status has room for (FD21)', () => {
    const rename = { duplicateNames: 'rename' } as const;
    expect(plan(['a', 'a', 'b'], rename).renamed).to.deep.equal({
      total: 1,
      files: [{ fileIndex: 1, name: 'a (2)' }],
    });
    expect(plan(['a:b', 'a'], { ...rename, portableNames: 'rewrite' }).renamed?.files).to.deep.equal([
      { fileIndex: 0, name: 'a_b' },
    ]);
    expect(plan(['a', 'b'], rename).renamed).to.equal(undefined);
    // An API server of an earlier release, after a rollback, would refuse the field.
    expect(plan(['a:b'], { portableNames: 'rewrite' }).renamed).to.equal(undefined);
    for (const [name, listed] of [
      ['a', RENAMED_LIMITS.files],
      ['x'.repeat(255), Math.floor(RENAMED_LIMITS.nameBytes / 255)],
    ] as const) {
      const names = Array.from({ length: 201 }, () => name);
      const { total, files } = plan(names, rename).renamed ?? { total: 0, files: [] };
      expect([total, files.length]).to.deep.equal([200, listed]);
    }
  });
});
