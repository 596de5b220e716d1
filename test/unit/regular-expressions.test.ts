import { expect } from 'chai';
import { findRegularExpressions, readRegularExpressions } from '#scripts/find-regular-expressions.ts';
import { findFault } from '#scripts/regular-expressions.ts';

function faultOf({ source, flags }: RegExp): Promise<string | undefined> {
  return findFault({ path: 'api/a.ts', line: 7, source, flags });
}

describe('the check of regular expressions', function () {
  this.timeout(120_000);

  // Each was in the code once, or is like one that was.
  const slow = [/\b[a-z][a-z0-9+.-]*:\/\//gi, /-+$/, /Policy .*denied/s, /^(?:a+)+$/];
  for (const expression of slow)
    it(`names the place and an attack of one that takes more than linear time: ${String(expression)} (N3)`, async () => {
      expect(await faultOf(expression)).to.match(/^api\/a\.ts:7 \/.* takes time of .* for '.*repeat\(\d+\)/);
    });

  it('accepts one that takes linear time (N3)', async () => {
    expect(await faultOf(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)).to.equal(undefined);
  });

  it('accepts a repetition with a bound, which only looks slow (N3)', async () => {
    expect(await faultOf(/(?:[a-z][a-z0-9+.-]{0,31})?:\/\/[^\s"'<>`\\]+/gi)).to.equal(undefined);
  });

  it('reads those of all processes (N3)', async () => {
    const expressions = await readRegularExpressions();
    expect(expressions.length).to.be.above(100);
    expect(expressions.map(({ path }) => path.split('/')[0])).to.include.members([
      'api',
      'controller',
      'dashboard',
      'runtime',
      'zipper-image',
    ]);
  });

  it('finds them in literals, constructors and schemas, and reports those built from more than constants (N3)', () => {
    const text = String.raw`
      const A = /a/g; const PART = String.raw${'`'}\d${'`'};
      const B = new RegExp(${'`'}^${'$'}{PART}+$${'`'}, 'i');
      const schema = { pattern: '^c$' };
      export const D_PATTERN = 'd';
      const dynamic = (x: string) => new RegExp(x);
    `;
    const { found, unknown } = findRegularExpressions('x.ts', text);
    expect(found.map(({ line, source, flags }) => `${line} /${source}/${flags}`).toSorted()).to.deep.equal([
      '2 /a/g',
      '3 /^\\d+$/i',
      '4 /^c$/u',
      '5 /d/u',
    ]);
    expect(unknown).to.deep.equal(['x']);
  });
});
