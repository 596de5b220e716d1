import { expect } from 'chai';
import { boundLines, printableLine } from '#test/support/failed-tests/lines.ts';

describe('printableLine', () => {
  it('masks secrets before it truncates, so that no part of a secret remains', () => {
    const url = `https://ada:sesame@store.example/a?X-Amz-Signature=${'f'.repeat(60)}`;
    expect(printableLine(`GET ${url} failed`, 400)).to.equal('GET https://store.example/a?[redacted] failed');
    expect(printableLine(`Authorization: Bearer ${'x'.repeat(100)}`, 40)).to.equal(
      'Authorization: [redacted]',
    );
    expect(printableLine(`token zj_${'a'.repeat(40)}`, 20)).not.to.contain('aaa');
  });

  it('joins lines and removes terminal escapes', () => {
    expect(printableLine('one\n   two\u001b[31m red', 400)).to.equal('one two[31m red');
  });

  it('truncates a long line', () => {
    expect(printableLine('a'.repeat(500), 400)).to.equal(`${'a'.repeat(397)}...`);
  });
});

describe('boundLines', () => {
  it('returns few lines unchanged and counts the omitted ones', () => {
    expect(boundLines(['a', 'b'], 2)).to.deep.equal(['a', 'b']);
    expect(boundLines(['a', 'b', 'c', 'd'], 3)).to.deep.equal(['a', 'b', '... 2 more lines']);
  });
});
