import { expect } from 'chai';
import { CONTROLLER_SETTINGS } from '#controller/config/config.ts';
import { renderNotes, type Values } from './render.ts';

const POSTGRES: Values = {
  'history.postgres.host': 'postgres.example.com',
  'history.postgres.existingSecret': 'zipjobs-history',
};

describe('the history in the notes of the chart', function () {
  this.timeout(30 * 60_000);

  it('says where finished jobs are recorded, for how long, and where to read more (G10)', async () => {
    const notes = await renderNotes(POSTGRES);
    const { default: days } = CONTROLLER_SETTINGS.historyRetentionDays;
    const database = 'recorded in the database "zipjobs" at postgres.example.com:5432';
    expect(notes).to.contain(`${database} for ${days} days`);
    const settings = { HISTORY_RETENTION_DAYS: 1 };
    expect(await renderNotes({ ...POSTGRES, 'controller.settings': settings })).to.contain(
      `${database} for 1 day,`,
    );
    expect(notes).to.contain('never source URLs').and.to.contain('docs/history.md');
    expect(notes).not.to.contain('No history');
  });

  it('says without a history how long a finished job can be read, and where to read more (G10)', async () => {
    const days = Number(CONTROLLER_SETTINGS.succeededTtlSeconds.default) / 86_400;
    const notes = await renderNotes();
    expect(notes).to.contain(`No history: a finished job is deleted after ${days} days`);
    expect(notes).to.contain('history.postgres').and.to.contain('docs/history.md');
    const settings = { SUCCEEDED_TTL_SECONDS: 86_400, FAILED_TTL_SECONDS: 200_000 };
    expect(await renderNotes({ 'controller.settings': settings })).to.contain(
      'deleted after 1 day if it succeeded and after 2 days otherwise',
    );
  });

  it('warns if jobs are sent in plain text', async () => {
    const plain = { ...POSTGRES, 'history.postgres.tls.enabled': false };
    expect(await renderNotes(plain)).to.contain('set history.postgres.tls.enabled to true');
    expect(await renderNotes(POSTGRES)).not.to.contain('history.postgres.tls.enabled');
  });
});
