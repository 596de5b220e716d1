import { expect } from 'chai';
import { isOlderVersion } from '#runtime/kube/object-cache.ts';

describe('isOlderVersion', () => {
  for (const [version, than, want] of [
    ['9', '10', true],
    ['10', '9', false],
    ['10', '10', false],
    ['99999999999999999998', '99999999999999999999', true],
    [undefined, '1', false],
    ['1', undefined, false],
    ['abc', '1', false],
  ] as const) {
    it(`says ${want} for ${version} and ${than}`, () => {
      expect(isOlderVersion(version, than)).to.equal(want);
    });
  }
});
