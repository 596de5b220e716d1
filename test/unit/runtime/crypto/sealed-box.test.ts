import { expect } from 'chai';
import { createSealingKey, SEALED_BYTES, seal } from '#runtime/crypto/sealed-box.ts';

function flip(box: string, at: number): string {
  const bytes = Buffer.from(box, 'base64url');
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes.toString('base64url');
}

describe('a sealed box', () => {
  const key = createSealingKey();

  for (const text of ['', 'private', '日本', 'x'.repeat(SEALED_BYTES)])
    it(`gives ${JSON.stringify(text.slice(0, 10))} back to the owner of the key`, () => {
      expect(key.open(seal(key.publicKey, text))).to.equal(text);
    });

  it('is as long for every text, and different each time (N22)', () => {
    const boxes = ['', 'private', 'private', 'x'.repeat(SEALED_BYTES)].map((text) =>
      seal(key.publicKey, text),
    );
    expect(new Set(boxes.map(({ length }) => length)).size).to.equal(1);
    expect(new Set(boxes).size).to.equal(boxes.length);
  });

  it('refuses a text that does not fit', () => {
    expect(() => seal(key.publicKey, 'x'.repeat(SEALED_BYTES + 1))).to.throw(RangeError);
  });

  it('remains closed to other keys', () => {
    const box = seal(key.publicKey, 'private');
    expect(createSealingKey().open(box)).to.equal(undefined);
  });

  it('remains closed if any of its parts was changed', () => {
    const box = seal(key.publicKey, 'private');
    for (const at of [0, 31, 32, 100, 287, 288, 303])
      expect(key.open(flip(box, at)), String(at)).to.equal(undefined);
  });

  for (const box of ['', 'no box', 'A'.repeat(405), seal(key.publicKey, '').slice(1)])
    it(`does not open ${JSON.stringify(box.slice(0, 10))} of ${box.length} characters`, () => {
      expect(key.open(box)).to.equal(undefined);
    });
});
