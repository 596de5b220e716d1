import { expect } from 'chai';
import { createLogger } from '#runtime/log/log.ts';

describe('createLogger', () => {
  it('writes no line with two messages, whatever its fields are called (Q-C16)', () => {
    const lines: string[] = [];
    const log = createLogger('test', { level: 'info', destination: { write: (line) => lines.push(line) } });
    const failure = { code: 'SourceNotFound', message: 'file 1: status 404' };
    log.error(failure, 'the task failed');
    log.error({ err: new Error('no'), failure }, 'the task failed');
    expect(lines[0]?.match(/"message":/g)).to.have.length(1);
    const [first, second] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(first).to.include({ message: 'the task failed', fieldMessage: 'file 1: status 404' });
    expect(second).to.deep.include({ message: 'the task failed', failure });
  });
});
