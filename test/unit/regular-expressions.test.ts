import { expect } from 'chai';
import { findRegularExpressions, readRegularExpressions } from '#scripts/find-regular-expressions.ts';
import { isLinear, measureGrowth } from '#test/support/growth.ts';
import { apply, findWorstInputs, inputOf, type WorstInput } from '#test/support/worst-input.ts';

/** Quadratic time takes much longer for a text of this length. */
const LENGTH = 65_536;
const CLEARLY_LINEAR_MS = 2;
const INPUTS = 3;

/** Other processes can only make it look slower, and then it is measured. */
function isSlow(expression: RegExp, input: WorstInput): boolean {
  return [LENGTH / 16, LENGTH].some((length) => {
    const text = inputOf(input, length);
    const started = performance.now();
    apply(expression, text);
    return performance.now() - started > CLEARLY_LINEAR_MS;
  });
}

/** The input for which the time of an expression grows faster than linearly. */
function findFault(expression: RegExp): string | undefined {
  for (const input of findWorstInputs(expression, INPUTS).filter((one) => isSlow(expression, one))) {
    const growth = measureGrowth(
      (text) => apply(expression, text),
      (length) => inputOf(input, length),
    );
    if (!isLinear(growth)) return `${JSON.stringify(input)} ${JSON.stringify(growth)}`;
  }
  return undefined;
}

describe('regular expressions', function () {
  this.timeout(300_000);

  it('of all processes take linear time for the slowest input that a search finds (N3)', async () => {
    const faults: string[] = [];
    const expressions = await readRegularExpressions();
    expect(expressions.length).to.be.above(100);
    for (const { path, source, flags } of expressions) {
      const fault = findFault(new RegExp(source, flags));
      if (fault !== undefined) faults.push(`${path} /${source}/${flags}: ${fault}`);
    }
    expect(faults).to.deep.equal([]);
  });

  // Each was in the code once, or is like one that was.
  const slow = [/\b[a-z][a-z0-9+.-]*:\/\//gi, /-+$/, /Policy .*denied/s];
  for (const expression of slow)
    it(`that take quadratic time are found: ${String(expression)} (N3)`, () => {
      expect(findFault(expression)).to.be.a('string');
    });

  it('that take exponential time are found (N3)', () => {
    expect(() => findFault(/^(?:a+)+$/)).to.throw('takes');
  });

  it('are found in literals, constructors and schemas, and those built from more than constants are reported (N3)', () => {
    const text = String.raw`
      const A = /a/g; const PART = String.raw${'`'}\d${'`'};
      const B = new RegExp(${'`'}^${'$'}{PART}+$${'`'}, 'i');
      const schema = { pattern: '^c$' };
      export const D_PATTERN = 'd';
      const dynamic = (x: string) => new RegExp(x);
    `;
    const { found, unknown } = findRegularExpressions('x.ts', text);
    expect(found.map(({ source, flags }) => `/${source}/${flags}`).toSorted()).to.deep.equal([
      '/^\\d+$/i',
      '/^c$/u',
      '/a/g',
      '/d/u',
    ]);
    expect(unknown).to.deep.equal(['x']);
  });
});
