import { expect } from 'chai';
import { createLogger } from '#runtime/log/log.ts';
import { withLogFields } from '#runtime/log/log-context.ts';
import { duplicateKeys } from '#test/support/duplicate-keys.ts';

describe('createLogger', () => {
  const lines: string[] = [];
  const log = createLogger('test', { level: 'info', destination: { write: (line) => lines.push(line) } });
  function logged(): Record<string, unknown> {
    const [line = ''] = lines.splice(0);
    expect(duplicateKeys(line), line).to.deep.equal([]);
    return JSON.parse(line) as Record<string, unknown>;
  }

  it('keeps a field called message beside the message (Q-C16)', () => {
    log.error({ code: 'SourceNotFound', message: 'file 1: status 404' }, 'the task failed');
    expect(logged()).to.include({ message: 'the task failed', fieldMessage: 'file 1: status 404' });
    log.error({ message: 'a', fieldMessage: 'b' }, 'c');
    expect(logged()).to.include({ message: 'c', fieldFieldMessage: 'a', fieldMessage: 'b' });
    const failure = { message: 'status 404' };
    log.error({ err: new Error('no'), failure }, 'the task failed');
    expect(logged()).to.deep.include({ message: 'the task failed', failure });
  });

  it('keeps fields that have the name of a field of every line (Q-C16)', () => {
    log.info({ level: 3, process: 'a"b{', time: [{ time: 1 }] }, 'x');
    expect(logged()).to.deep.include({
      level: 'info',
      process: 'test',
      message: 'x',
      fieldLevel: 3,
      fieldProcess: 'a"b{',
      fieldTime: [{ time: 1 }],
    });
  });

  it('keeps the fields of children, of their tasks and of the line apart (Q-C16)', () => {
    const child = log.child({ traceId: 'outer' }).child({ traceId: 'inner' });
    withLogFields({ traceId: 'task' }, () => child.info({ zipJob: 'a/b' }, 'x'));
    expect(logged()).to.include({
      traceId: 'outer',
      fieldTraceId: 'inner',
      fieldFieldTraceId: 'task',
      zipJob: 'a/b',
    });
  });
});
