import { expect } from 'chai';
import type { Stage } from '#dashboard/jobs/stages/stage.ts';
import { stageRows } from '#dashboard/jobs/stages/stage-rows.ts';
import { ago, NOW } from '#test/support/builders/objects.ts';

function rowOf(stage: Partial<Stage>, ...others: readonly Stage[]) {
  return stageRows([{ name: 'Reading', state: 'done', ...stage }, ...others], NOW)[0];
}

describe('stageRows', () => {
  it('has the state in words and its look', () => {
    const states = ['waiting', 'running', 'done', 'failed', 'stopped', 'skipped'] as const;
    expect(states.map((state) => rowOf({ state })).map((row) => `${row?.state} ${row?.look}`)).to.deep.equal([
      'Waiting quiet',
      'Running going',
      'Done good',
      'Failed bad',
      'Stopped warn',
      'Skipped quiet',
    ]);
  });

  const durations: readonly (readonly [string, Partial<Stage>])[] = [
    ['1 min 5 s', { start: ago(100), end: ago(35) }],
    ['up to 30 s', { start: ago(40), end: ago(10), endsEarlier: true }],
    ['under 1 s', { start: ago(10), end: ago(10) }],
    ['under 1 s', { start: ago(10), end: ago(11) }],
    ['40 s', { state: 'running', start: ago(40) }],
    ['8 ms', { start: ago(10), end: ago(9), measuredMs: 8 }],
    ['1 s', { start: ago(10), end: ago(8), measuredMs: 1_400 }],
    ['duration not recorded', { end: ago(10) }],
    ['duration not recorded', { start: ago(10) }],
    ['duration not recorded', { state: 'running' }],
    ['', { state: 'skipped' }],
    ['', { state: 'waiting', start: ago(10) }],
  ];
  for (const [text, stage] of durations)
    it(`shows ${JSON.stringify(stage)} as '${text}'`, () => {
      expect(rowOf(stage)?.duration).to.equal(text);
    });

  it('places all stages and their parts on one axis', () => {
    const [queued, attempt] = stageRows(
      [
        { name: 'Queued', state: 'done', start: ago(100), end: ago(80) },
        {
          name: 'Attempt 1',
          state: 'running',
          start: ago(80),
          parts: [{ name: 'Reading', state: 'done', start: ago(50), end: ago(50) }],
        },
      ],
      NOW,
    );
    expect(queued?.bar).to.deep.equal({ x: 0, width: 20 });
    expect(attempt?.bar).to.deep.equal({ x: 20, width: 80 });
    expect(attempt?.parts[0]?.bar).to.deep.equal({ x: 50, width: 0.5 });
  });

  it('has no bar for a stage without times, also if none has any', () => {
    expect(rowOf({ start: ago(10) })?.bar).to.equal(undefined);
    expect(rowOf({ state: 'skipped' })?.bar).to.equal(undefined);
    expect(stageRows([], NOW)).to.deep.equal([]);
  });

  it('redacts secrets in details', () => {
    expect(rowOf({ detail: 'https://x/y?sig=SECRET' })?.detail).to.equal('https://x/y?[redacted]');
  });
});
