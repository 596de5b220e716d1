import { expect } from 'chai';
import { findJsonError } from '#api/body/find-json-error.ts';
import { runToEnd } from '#test/support/run-to-end.ts';

const TEXT =
  '{"a": [1, -2.50, 3e+4, 0E-1, true, false, null, [], {}], "b\\u00e9\\n": {"c": "\\\\\\" }", "d": ""}}\n';

/** Each change of one character, and each part of the text from its start. */
function* variantsOf(text: string): Generator<string> {
  for (let at = 0; at <= text.length; at += 1) {
    yield text.slice(0, at);
    yield text.slice(0, at) + text.slice(at + 1);
    for (const character of [
      '"',
      '\\',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '0',
      '-',
      '.',
      'e',
      't',
      'x',
      '\n',
      ' ',
    ])
      for (const rest of [text.slice(at), text.slice(at + 1)]) yield text.slice(0, at) + character + rest;
  }
}

/** Where JSON.parse fails, if it says so: `true` without a position, `false` if the text is valid. */
function failureOf(text: string): number | boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    const { message } = error as SyntaxError;
    if (message === 'Unexpected end of JSON input') return text.length;
    const [, position] = / at position (\d+)/.exec(message) ?? [];
    return position === undefined ? true : Number(position);
  }
}

describe('findJsonError', () => {
  it('finds the position at which JSON.parse fails (Q-A10)', () => {
    let positions = 0;
    for (const text of variantsOf(TEXT)) {
      const failure = failureOf(text);
      const found = runToEnd(findJsonError(text));
      if (typeof failure === 'number') expect(found, text).to.equal(failure);
      if (typeof failure === 'number') positions += 1;
      // No text with this start is valid.
      if (failure !== false && found < text.length)
        expect(failureOf(text.slice(0, found + 1)), text).not.to.equal(false);
    }
    expect(positions).to.be.greaterThan(500);
  });

  it('finds none in a valid text', () => {
    expect(runToEnd(findJsonError(TEXT))).to.equal(TEXT.length);
  });

  for (const [name, text] of [
    ['array', `[${'1,'.repeat(200_000)}]`],
    ['string', `["${'\\n'.repeat(200_000)}",]`],
  ] as const)
    it(`reads a long ${name} in steps`, () => {
      expect([...findJsonError(text)]).to.have.length.greaterThan(5);
      expect(runToEnd(findJsonError(text))).to.equal(text.length - 1);
    });
});
