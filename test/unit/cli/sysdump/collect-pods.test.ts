import { Readable } from 'node:stream';
import { expect } from 'chai';
import { endOf } from '#cli/sysdump/collect-pods.ts';

function body(...chunks: readonly string[]): Readable {
  return Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
}

describe('endOf', () => {
  it('returns a short text completely', async () => {
    expect(await endOf(body('one\ntw', 'o\n'), 8)).to.equal('one\ntwo\n');
  });

  it('starts a truncated text at a line break, so that no part of a secret remains', async () => {
    const token = `zj_${'x'.repeat(30)}`;
    expect(await endOf(body('first\n', `token ${token}`, '\nlast\n'), 20)).to.equal('last\n');
    expect(await endOf(body(`${token}${token}`), 20)).to.equal('');
  });

  it('keeps little more than it returns', async () => {
    function* lines(): Generator<Buffer> {
      for (let n = 0; n < 10_000; n += 1) yield Buffer.from(`line ${n}\n`);
    }
    expect(await endOf(Readable.from(lines()), 25)).to.equal('line 9998\nline 9999\n');
  });
});
