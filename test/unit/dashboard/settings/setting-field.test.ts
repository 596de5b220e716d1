import { expect } from 'chai';
import { bytesText, fieldOf, readBytes, readWhole } from '#dashboard/settings/setting-field.ts';

const FIELD = { name: 'size', label: 'Size' };

function formOf(size: string): URLSearchParams {
  return new URLSearchParams({ size });
}

describe('a field of the settings', () => {
  it('reads bytes with and without a unit', () => {
    function read(text: string): number | undefined {
      return readBytes(formOf(text), FIELD);
    }
    expect(['', ' 17 ', '1KiB', '512 mib', '2 GiB', '0 B'].map(read)).to.deep.equal([
      undefined,
      17,
      1_024,
      536_870_912,
      2_147_483_648,
      0,
    ]);
    for (const text of ['1.5 GiB', '-1', '1 MB', '1 XiB', 'MiB', '999999999999999 TiB'])
      expect(() => read(text), text).to.throw(/^Size: use a whole number of bytes/);
  });

  it('shows bytes exactly, so that reading the text gives the same number', () => {
    for (const bytes of [1, 1_023, 1_024, 1_536, 536_870_912, 2 ** 50, 3 * 2 ** 40]) {
      const text = bytesText(bytes);
      expect(readBytes(formOf(text), FIELD), text).to.equal(bytes);
    }
    expect([bytesText(536_870_912), bytesText(1_536), bytesText(1_537)]).to.deep.equal([
      '512 MiB',
      '1536 B',
      '1537 B',
    ]);
  });

  it('reads whole numbers only', () => {
    expect([readWhole(formOf(''), FIELD), readWhole(formOf('7'), FIELD)]).to.deep.equal([undefined, 7]);
    for (const text of ['1.5', '-1', 'x', '1e3', '9'.repeat(16)])
      expect(() => readWhole(formOf(text), FIELD), text).to.throw('Size: use a whole number');
  });

  it('owns the errors of its name, of its path and below it', () => {
    const fields = [
      { kind: 'text', name: 'max', path: 'limits.max', label: 'Max' },
      { kind: 'lines', name: 'tags', path: 'objectOptions.tags', label: 'Tags', maxlength: 9 },
    ] as const;
    expect(
      ['max', 'limits.max', 'objectOptions.tags', 'objectOptions.tags.a', 'objectOptions.tags[0]'].map(
        (path) => fieldOf(fields, path),
      ),
    ).to.deep.equal(['max', 'max', 'tags', 'tags', 'tags']);
    expect(['limits', 'limits.maximum', 'objectOptions'].map((path) => fieldOf(fields, path))).to.deep.equal([
      '',
      '',
      '',
    ]);
  });
});
