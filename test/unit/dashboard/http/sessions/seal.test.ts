import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { KEY_BYTES, seal, unseal } from '#dashboard/http/sessions/seal.ts';

describe('seal and unseal', () => {
  const key = randomBytes(KEY_BYTES);
  it('return the text with the same key and name', () => {
    expect(unseal(key, 'a', seal(key, 'a', 'token ü'))).to.equal('token ü');
  });

  it('return nothing with another key or name', () => {
    const sealed = seal(key, 'a', 'token');
    expect(unseal(randomBytes(KEY_BYTES), 'a', sealed)).to.equal(undefined);
    expect(unseal(key, 'b', sealed)).to.equal(undefined);
  });

  it('detect every changed byte', () => {
    const sealed = Buffer.from(seal(key, 'a', 'token'), 'base64');
    for (const index of sealed.keys()) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      expect(unseal(key, 'a', changed.toString('base64'))).to.equal(undefined);
    }
    expect(unseal(key, 'a', '')).to.equal(undefined);
  });

  it('never produce the same bytes twice', () => {
    expect(seal(key, 'a', 'token')).to.not.equal(seal(key, 'a', 'token'));
  });
});
