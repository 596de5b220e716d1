import { expect } from 'chai';
import { sizeText } from '#administration/projects/size-text.ts';

const K = 1024;

describe('sizeText', () => {
  const texts: readonly (readonly [bytes: number, text: string])[] = [
    [0, '0 B'],
    [0.4, '0 B'],
    [1, '1 B'],
    [1023, '1023 B'],
    [1023.6, '1.0 KiB'],
    [K, '1.0 KiB'],
    [1536, '1.5 KiB'],
    [99.94 * K, '99.9 KiB'],
    [99.96 * K, '100 KiB'],
    [150 * K ** 2, '150 MiB'],
    [1023.4 * K, '1023 KiB'],
    [1023.5 * K, '1.0 MiB'],
    [K ** 2 - 1, '1.0 MiB'],
    [K ** 2, '1.0 MiB'],
    [K ** 3 - 1, '1.0 GiB'],
    [K ** 4 - 1, '1.0 TiB'],
    [K ** 5 - 1, '1.0 PiB'],
    [K ** 5, '1.0 PiB'],
    [Number.MAX_SAFE_INTEGER, '8.0 PiB'],
    [2_000 * K ** 5, '2000 PiB'],
  ];
  for (const [bytes, text] of texts)
    it(`writes ${bytes} bytes as ${text} (UI40)`, () => {
      expect(sizeText(bytes)).to.equal(text);
    });

  it('never writes 1024 of a unit that has a larger one (UI40)', () => {
    for (let power = 1; power < 6; power += 1)
      for (let step = -2_000; step < 2_000; step += 1) {
        const bytes = Math.round(K ** power * (1 + step / 2_000_000));
        expect(sizeText(bytes), `${bytes}`).not.to.match(/^1024/);
      }
  });
});
