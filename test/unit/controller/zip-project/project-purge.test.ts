import { expect } from 'chai';
import type { PurgeState } from '#controller/history/purges.ts';
import { projectPurge } from '#controller/zip-project/project-purge.ts';
import { ANNOTATIONS } from '#crds/api-group.ts';
import { REASONS } from '#crds/conditions.ts';
import type { HistoryPurge } from '#crds/zip-project.ts';
import { ago, aZipProject, NOW } from '#test/support/builders/objects.ts';

const STARTED = ago(60);
const ENDED = ago(0);

interface Given {
  readonly nonce?: string;
  readonly known?: HistoryPurge;
  readonly purge?: PurgeState;
  readonly hasHistory?: boolean;
}

function judge({ nonce, known, purge, hasHistory = true }: Given) {
  const project = aZipProject();
  const annotations = nonce === undefined ? {} : { [ANNOTATIONS.purgeHistory]: nonce };
  return projectPurge(
    {
      project: {
        ...project,
        metadata: { ...project.metadata, annotations },
        ...(known && { status: { historyPurge: known } }),
      },
      hasHistory,
      purge,
    },
    NOW,
  );
}

function start(nonce: string, records: number) {
  return {
    kind: 'startPurge',
    order: { nonce, projectUid: 'uid-project', records },
  };
}

describe('projectPurge', () => {
  const running = { nonce: 'a', startedAt: STARTED, records: 5 };
  const finished = { ...running, finishedAt: STARTED };

  it('does nothing without a command, and forgets what is not in the status any more', () => {
    expect(judge({})).to.deep.equal({ record: undefined, actions: [] });
    expect(judge({ purge: { nonce: 'a', records: 1, isComplete: false } }).actions).to.deep.equal([
      { kind: 'forgetPurge' },
    ]);
  });

  it('records a new command, then starts it (G9)', () => {
    const { record, condition, actions } = judge({ nonce: 'a' });
    expect(record).to.deep.equal({ nonce: 'a', startedAt: ENDED, records: 0 });
    expect(condition).to.include({ type: 'HistoryPurged', status: 'False', reason: 'PurgingHistory' });
    expect(actions).to.deep.equal([start('a', 0)]);
  });

  it('does nothing for a repeated nonce (G9)', () => {
    expect(judge({ nonce: 'a', known: finished })).to.deep.equal({ record: finished, actions: [] });
  });

  it('starts again with another nonce, from 0 records (G9)', () => {
    const { record, actions } = judge({ nonce: 'b', known: finished });
    expect(record).to.deep.equal({ nonce: 'b', startedAt: ENDED, records: 0 });
    expect(actions).to.deep.equal([start('b', 0)]);
  });

  it('continues what another controller started, also without its annotation, and before another command (G9)', () => {
    for (const nonce of ['a', 'b', ''])
      expect(judge({ nonce, known: running })).to.deep.include({
        record: running,
        actions: [start('a', 5)],
      });
  });

  it('writes the number of records while it runs (G9)', () => {
    const { record, condition, actions } = judge({
      nonce: 'a',
      known: running,
      purge: { nonce: 'a', records: 20_005, isComplete: false },
    });
    expect(record).to.deep.equal({ ...running, records: 20_005 });
    expect(condition?.reason).to.equal('PurgingHistory');
    expect(actions).to.deep.equal([]);
  });

  it('says that it waits while the database is away, and nothing of its address (G8)', () => {
    const purge = { nonce: 'a', records: 5, isComplete: false, hasFailed: true };
    const { record, condition } = judge({ nonce: 'a', known: running, purge });
    expect(record).to.deep.equal(running);
    expect(condition).to.deep.include({ status: 'False', reason: 'HistoryUnavailable' });
    expect(condition?.message).to.equal(REASONS.HistoryUnavailable);
  });

  it('records the end with an Event (G9)', () => {
    const purge = { nonce: 'a', records: 7, isComplete: true };
    const { record, condition, actions } = judge({ nonce: 'a', known: running, purge });
    expect(record).to.deep.equal({ ...running, records: 7, finishedAt: ENDED });
    expect(condition).to.include({ status: 'True', reason: 'HistoryPurged' });
    const message = 'The records of the project were deleted from the history. Number of records: 7.';
    expect(actions).to.deep.equal([
      { kind: 'recordEvent', note: { type: 'Normal', reason: 'HistoryPurged', message } },
    ]);
  });

  it('refuses the command without a history, also if it was started with one (G10)', () => {
    for (const known of [undefined, running]) {
      const refused = judge({ nonce: 'a', hasHistory: false, ...(known && { known }) });
      expect(refused.record).to.deep.include({ nonce: 'a', finishedAt: ENDED });
      expect(refused.condition).to.include({ status: 'False', reason: 'NoHistory' });
      expect(refused.actions).to.have.nested.property('[0].note.type', 'Warning');
    }
  });
});
