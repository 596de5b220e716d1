import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { createLogger } from '#runtime/log/log.ts';
import { withLogFields } from '#runtime/log/log-context.ts';

describe('withLogFields', () => {
  const lines: string[] = [];
  const log = createLogger('test', { level: 'info', destination: { write: (line) => lines.push(line) } });
  function logged(): Readonly<Record<string, unknown>>[] {
    return lines.splice(0).map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  it('adds its fields to every line of the task, also after await, and to no other line', async () => {
    await Promise.all(
      ['a', 'b'].map((name) =>
        withLogFields({ name }, async () => {
          await delay(1);
          log.info('in it');
        }),
      ),
    );
    log.info('outside');
    const [first, second, third] = logged();
    expect([first?.['name'], second?.['name']]).to.have.members(['a', 'b']);
    expect(third).to.include({ process: 'test', message: 'outside' }).and.not.to.have.property('name');
  });

  it('is overridden by an inner task and by fields of a line', () => {
    withLogFields({ name: 'outer', controller: 'zipjob' }, () => {
      withLogFields({ name: 'inner' }, () => log.info('in it'));
      log.info({ name: 'own' }, 'in it');
    });
    const [inner, own] = logged();
    expect(inner).to.include({ name: 'inner' }).and.not.to.have.property('controller');
    expect(own).to.include({ name: 'own', controller: 'zipjob' });
  });
});
