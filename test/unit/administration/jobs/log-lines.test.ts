import { expect } from 'chai';
import { toLogLines } from '#administration/jobs/log-lines.ts';

const AT = '2026-05-04T12:00:00.123Z';

function json(fields: object): string {
  return JSON.stringify({ level: 'info', time: AT, process: 'zipper', ...fields });
}

describe('toLogLines', () => {
  it('has time, level, text and the other fields of each line (Q-U29)', () => {
    expect(toLogLines([json({ level: 'warn', fileIndex: 7, message: 'retrying a source' })])).to.deep.equal([
      { at: AT, level: 'warn', text: 'retrying a source', fields: [['fileIndex', '7']] },
    ]);
  });

  it('leaves out what all lines share', () => {
    const lines = [
      json({ zipJob: 'zip-1', message: 'a' }),
      'not JSON',
      json({ zipJob: 'zip-1', message: 'b' }),
    ];
    expect(toLogLines(lines).map(({ text, fields }) => [text, fields])).to.deep.equal([
      ['a', []],
      ['not JSON', []],
      ['b', []],
    ]);
    expect(toLogLines([...lines, json({ zipJob: 'zip-2', message: 'c' })])[0]?.fields).to.deep.equal([
      ['zipJob', 'zip-1'],
    ]);
  });

  it('has the message of an error, and every other object as JSON', () => {
    const err = { name: 'AppError', message: 'no route', stack: 'at x' };
    expect(
      toLogLines([json({ err, counts: { read: 1 }, none: null, message: 'failed' })])[0]?.fields,
    ).to.deep.equal([
      ['err', 'no route'],
      ['counts', '{"read":1}'],
      ['none', 'null'],
    ]);
  });

  it('keeps a line that is not a JSON object as text', () => {
    for (const line of ['', 'Killed', '[1]', '{"level":"info","mess', '"text"', 'null'])
      expect(toLogLines([line])).to.deep.equal([{ at: '', level: '', text: line, fields: [] }]);
  });

  it('does not take a strange value for a time or a level', () => {
    expect(toLogLines(['{"time":1,"level":30,"message":{"a":1}}'])).to.deep.equal([
      { at: '', level: '', text: '{"a":1}', fields: [] },
    ]);
    expect(toLogLines(['{"time":"soon","level":"info"}'])[0]).to.include({ at: '', text: '' });
  });
});
