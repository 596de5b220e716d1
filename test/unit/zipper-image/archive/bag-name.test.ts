import { expect } from 'chai';
import { checkEntryName } from '#runtime/entries/entry-name.ts';
import { checkPortableName } from '#runtime/entries/portable-names.ts';
import { bagName } from '#zipper-image/archive/manifest/bag-name.ts';

describe('bagName', () => {
  for (const [key, name] of [
    ['reports/2026/Q1.zip', 'Q1'],
    ['Q1.ZIP', 'Q1'],
    ['archive', 'archive'],
    ['a.zip.zip', 'a.zip'],
    ['é 雪.zip', 'é 雪'],
    ['.zip', 'bag'],
    ['folder/', 'bag'],
    ['..zip', '_'],
    ['...zip', '__'],
    ['-rf.zip', '_rf'],
    ['\u200e-rf.zip', '_rf'],
    ['\t-rf.zip', '_rf'],
    ['\u2067\u0085\u2067--x', '_-x'],
    ['\\-rf.zip', '_-rf'],
    ['con.zip', '_con'],
    ['C:\\a?b.zip', 'C__a_b'],
    ['a\u202eb\ud800.zip', 'ab_'],
    [' .zip', '_'],
  ] as const)
    it(`is ${JSON.stringify(name)} for the key ${JSON.stringify(key)}`, () => {
      expect(bagName(key)).to.equal(name);
    });

  it('is a name that every system can store', () => {
    for (const key of ['x'.repeat(1024), `${'雪'.repeat(300)}.zip`, `con.${'x'.repeat(300)}`, '\\\\', '- ']) {
      const name = bagName(key);
      expect(checkEntryName(name), key).to.equal(undefined);
      expect(checkPortableName(name), key).to.equal(undefined);
      expect(name, key).to.not.contain('/');
    }
  });
});
