import { expect } from 'chai';
import { matchesPattern, readSearchText } from '#dashboard/jobs/search-text.ts';

const ID = '06038b4e-0f0a-4f5e-9d53-0c9a3a0a1b2c';

describe('readSearchText', () => {
  it('reads an ID, its start from six characters on, or else a key (Q-U5)', () => {
    for (const text of [ID, ID.toUpperCase(), `zip-${ID}`])
      expect(readSearchText(text), text).to.deep.equal({ kind: 'id', id: ID });
    for (const prefix of ['06038b', '06038b4e', '06038b4e-', '06038b4e-0f0a-4'])
      for (const text of [prefix, prefix.toUpperCase(), `zip-${prefix}`])
        expect(readSearchText(text), text).to.deep.equal({ kind: 'id-prefix', prefix });
    for (const key of ['06038', '06038b4e0', '06038b4e-0f0g', `${ID}0`, 'Report', 'zip-report', 'out/*.zip'])
      expect(readSearchText(key), key).to.deep.equal({ kind: 'key', key });
  });
});

describe('matchesPattern', () => {
  for (const [pattern, text, isMatch] of [
    ['out/1.zip', 'out/1.zip', true],
    ['out/1.zip', 'out/1.zip2', false],
    ['out/*', 'out/', true],
    ['*.zip', 'out/1.zip', true],
    ['out/*.zip', 'out/1.zip', true],
    ['out/*.zip', 'out/1.tar', false],
    ['*a*b*', 'xxaxxbxx', true],
    ['*a*b*', 'xxbxxaxx', false],
    ['ab*ba', 'aba', false],
    ['a*bc*c', 'abcc', true],
    ['a*bc*c', 'abc', false],
    ['*', '', true],
  ] as const)
    it(`${isMatch ? 'finds' : 'does not find'} ${text} with ${pattern}`, () => {
      expect(matchesPattern(pattern, text)).to.equal(isMatch);
    });

  it('takes linear time for many stars', () => {
    expect(matchesPattern('*a'.repeat(500), 'a'.repeat(400))).to.equal(false);
  });
});
