import { expect } from 'chai';
import { logLineText } from '#cli/log-text.ts';

const TIME = '2026-01-02T03:04:05.678Z';

function textOf(fields: object, isDecorated = false): string {
  return logLineText(
    JSON.stringify({ level: 'warn', time: TIME, process: 'zipper', ...fields }),
    isDecorated,
  );
}

describe('logLineText', () => {
  it('starts with time, level and message, and then has the fields (Q-C16)', () => {
    expect(
      textOf({ fileIndex: 3, code: 'SourceNotFound', text: 'a "b"', none: null, message: 'retrying' }),
    ).to.equal(`${TIME} WARN  retrying  fileIndex=3 code=SourceNotFound text="a \\"b\\"" none=null`);
    expect(textOf({ message: 'the end' })).to.equal(`${TIME} WARN  the end`);
  });

  it('prints nested fields as JSON, and errors without their stack (Q-C16)', () => {
    const cause = { name: 'Error', message: 'no', stack: 'at x' };
    const err = { name: 'AppError', message: 'failed', stack: 'AppError\n at y', cause };
    expect(textOf({ err, list: [1], message: 'm' })).to.equal(
      `${TIME} WARN  m  err={"name":"AppError","message":"failed","cause":{"name":"Error","message":"no"}} list=[1]`,
    );
  });

  it('prints lines of other programs as they are, without control characters', () => {
    for (const line of ['a line', '{"a":1}', '[1]', '"x"', '{"time":1,"level":"info"}', '{'])
      expect(logLineText(line, true)).to.equal(line);
    expect(logLineText('a\u001b[2Jb', true)).to.equal('a?[2Jb');
    expect(textOf({ message: 'a\u001b[2Jb' })).to.equal(`${TIME} WARN  a?[2Jb`);
  });

  it('colors the level on a terminal (Q-C12)', () => {
    expect(textOf({ message: 'm' }, true)).to.equal(`${TIME} \u001b[33mWARN \u001b[39m m`);
  });
});
