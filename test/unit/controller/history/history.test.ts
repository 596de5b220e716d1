import { expect } from 'chai';
import { pino } from 'pino';
import { createHistory } from '#controller/history/history.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { createFakeObjects } from '#test/support/builders/fake-objects.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';

describe('createHistory', () => {
  function create(historyHost: string) {
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
    const stopping = new AbortController().signal;
    const options = {
      config: aConfig({ historyHost }),
      clock: createManualClock(),
      log,
      stopping,
      onProject: () => undefined,
    };
    const history = createHistory(options, () => ({ zipJobs: createFakeObjects().reflector as never }));
    return { lines, history };
  }

  it('says once that there is no history database, and does nothing else (G10)', () => {
    const { lines, history } = create('');
    expect(history).to.equal(undefined);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.contain('HISTORY_HOST');
  });

  it('follows the ZipJobs with one', () => {
    const { lines, history } = create('db.example');
    expect(history?.archiver.size).to.equal(0);
    expect(lines).to.deep.equal([]);
  });
});
