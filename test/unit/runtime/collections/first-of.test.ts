import { expect } from 'chai';
import { firstOf } from '#runtime/collections/first-of.ts';

describe('firstOf', () => {
  it('lists all items up to the limit', () => {
    expect(firstOf([])).to.equal('');
    expect(firstOf(['a'])).to.equal('a');
    expect(firstOf([1, 2, 3], 3)).to.equal('1, 2, 3');
  });
  it('lists the first items and counts the rest', () => {
    expect(firstOf(['a', 'b', 'c', 'd', 'e', 'f', 'g'])).to.equal('a, b, c, d, e and 2 more');
    expect(firstOf([1, 2, 3, 4], 3)).to.equal('1, 2, 3 and 1 more');
  });
});
