import { expect } from 'chai';
import { generateToken, hashToken, isToken, maskToken, tokenChecksum } from '#crds/api-token.ts';

const ZEROS = '0'.repeat(30);

describe('generateToken', () => {
  it('returns unique tokens of a fixed form (T1)', () => {
    const tokens = new Set(Array.from({ length: 200 }, () => generateToken()));
    expect(tokens.size).to.equal(200);
    for (const token of tokens) {
      expect(token).to.match(/^zj_[0-9A-Za-z]{36}$/);
      expect(isToken(token)).to.equal(true);
    }
  });

  it('depends only on the random source', () => {
    expect(generateToken(() => 0)).to.equal(`zj_${ZEROS}${tokenChecksum(ZEROS)}`);
    expect(generateToken((below) => below - 1)).to.match(/^zj_z{30}/);
  });
});

describe('tokenChecksum', () => {
  // Calculated independently: zlib.crc32 of the text in base 62, with digits, upper case, lower case.
  const vectors = [
    [ZEROS, '2C8GjS'],
    ['abcdefghijklmnopqrstuvwxyz0123', '2LolCm'],
  ] as const;
  for (const [random, checksum] of vectors) {
    it(`of ${random} is ${checksum}`, () => {
      expect(tokenChecksum(random)).to.equal(checksum);
    });
  }
});

describe('isToken', () => {
  const token = generateToken();
  const flipped = `${token.slice(0, 10)}${token[10] === 'a' ? 'b' : 'a'}${token.slice(11)}`;
  const refused: readonly (readonly [string, string])[] = [
    ['nothing', ''],
    ['another prefix', token.replace('zj_', 'gh_')],
    ['one missing character', token.slice(0, -1)],
    ['one extra character', `${token}0`],
    ['a changed character (T1)', flipped],
    ['a line break at the end', `${token}\n`],
    ['a character outside base62', `${token.slice(0, 12)}-${token.slice(13)}`],
  ];
  for (const [name, text] of refused) {
    it(`is false for ${name}`, () => {
      expect(isToken(text)).to.equal(false);
    });
  }
});

describe('hashToken', () => {
  it('is the SHA-256 of namespace and token', () => {
    expect(hashToken('team-a', 'zj_x')).to.equal(
      '201a8d59e0a7135537b90342d93bdfa8a234df12213d8d770e003de51ee81b10',
    );
  });

  it('differs between namespaces', () => {
    expect(hashToken('a', 'zj_x')).to.not.equal(hashToken('b', 'zj_x'));
  });
});

describe('maskToken', () => {
  it('shows the first and last four characters', () => {
    expect(maskToken('zj_abcdefgh1234')).to.equal('zj_a...1234');
  });
});
