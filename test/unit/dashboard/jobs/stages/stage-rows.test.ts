import { expect } from 'chai';
import type { Stage } from '#dashboard/jobs/stages/stage.ts';
import { stageRows } from '#dashboard/jobs/stages/stage-rows.ts';
import { ago, NOW } from '#test/support/builders/objects.ts';

function rowOf(stage: Partial<Stage>, ...others: readonly Stage[]) {
  return stageRows([{ name: 'Reading', state: 'done', ...stage }, ...others], NOW)[0];
}

const QUEUED: Stage = { name: 'Queued', state: 'done', start: ago(100), end: ago(80) };

function attempt(change: Partial<Stage>): Stage {
  return { name: 'Attempt 1', state: 'done', start: ago(80), end: ago(40), ...change };
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
    ['Failed after 40 s', { state: 'failed', start: ago(40), end: ago(0) }],
    ['Failed', { state: 'failed', end: ago(0) }],
    ['Stopped after 40 s', { state: 'stopped', start: ago(40), end: ago(0) }],
    ['duration not recorded', { end: ago(10) }],
    ['duration not recorded', { start: ago(10) }],
    ['duration not recorded', { state: 'running' }],
    ['Skipped', { state: 'skipped' }],
    ['Waiting', { state: 'waiting', start: ago(10) }],
  ];
  for (const [text, stage] of durations)
    it(`shows ${JSON.stringify(stage)} as '${text}'`, () => {
      expect(rowOf(stage)?.duration).to.equal(text);
    });

  it('says when each stage started, counted from the first (Q-U8)', () => {
    const rows = stageRows([QUEUED, { name: 'Starting', state: 'done', start: ago(80), end: ago(78) }], NOW);
    expect(rows.map(({ offset }) => offset)).to.deep.equal(['+0 s', '+20 s']);
    expect(rowOf({ end: ago(10) }, QUEUED)?.offset).to.equal('');
  });

  it('places all stages and their parts on one axis', () => {
    const failed = attempt({ parts: [{ name: 'Reading', state: 'done', start: ago(50), end: ago(50) }] });
    const [queued, first, second] = stageRows(
      [
        QUEUED,
        failed,
        { name: 'Attempt 2', state: 'done', start: ago(40), end: ago(0), parts: failed.parts ?? [] },
      ],
      NOW,
    );
    expect(queued?.bar).to.include({ x: 0, width: 20 });
    expect(first?.bar).to.include({ x: 20, width: 40 });
    expect(second?.bar).to.include({ x: 60, width: 40 });
    expect(first?.parts[0]?.bar).to.include({ x: 50, width: 0.5 });
  });

  describe('of a running job', () => {
    function bars(stage: Partial<Stage>) {
      const running = { name: 'Uploading', state: 'running', start: ago(20), ...stage } as const;
      return stageRows([{ ...QUEUED, start: ago(40), end: ago(20) }, running], NOW).map(({ bar }) => bar);
    }

    it('has bars up to the expected end that show what is done (Q-U6)', () => {
      const [queued, uploading] = bars({ percent: 25, expectedEnd: ago(-60) });
      expect(queued).to.include({ x: 0, width: 20 });
      expect(uploading).to.deep.equal({
        x: 20,
        width: 20,
        rest: 60,
        isFading: false,
        text: '25 %',
        isTextInside: false,
      });
    });

    it('expects the end from the pace so far without an estimate (Q-U6)', () => {
      expect(bars({ percent: 50 })[1]).to.include({ x: 33.33, width: 33.33, rest: 33.33, text: '50 %' });
    });

    it('counts only its own work in the pace and in what is done', () => {
      const stage = { percent: 75, keptPercent: 50 };
      expect(bars(stage)[1]).to.include({ x: 33.33, width: 33.33, rest: 33.33, text: '75 %' });
      expect(bars({ percent: 50, keptPercent: 50 })[1]).to.include({ rest: 0, isFading: true });
    });

    it('never shows an estimate that is over as done (Q-U6)', () => {
      expect(bars({ percent: 50, expectedEnd: ago(10) })[1]).to.include({ x: 50, width: 25, rest: 25 });
    });

    it('fades what is running if nobody knows how much is left (Q-U6)', () => {
      for (const percent of [{}, { percent: 0 }])
        expect(bars(percent)[1]).to.include({ x: 50, width: 50, rest: 0, isFading: true });
      expect(bars({ state: 'done', end: ago(0) })[1]).to.include({ isFading: false });
    });

    it('has the percentage behind what is done, or inside it where no room is left', () => {
      expect(bars({ percent: 99 })[1]).to.include({ isTextInside: true });
      expect(bars({ name: 'Reading', percent: 99 })[1]).to.include({ text: '' });
    });
  });

  describe('of a job with one attempt', () => {
    const READING = { name: 'Reading', state: 'failed', start: ago(80), end: ago(40) } as const;
    const RECOVERING = { name: 'Recovering', state: 'skipped', detail: 'Nothing to recover.' } as const;
    function names(...stages: readonly Stage[]): readonly string[] {
      return stageRows(stages, NOW).map(({ name }) => name);
    }

    it('shows its steps instead of the attempt (Q-U8)', () => {
      const parts = [READING, RECOVERING];
      expect(names(QUEUED, attempt({ state: 'failed', parts }))).to.deep.equal(['Queued', 'Reading']);
      const done = [{ ...READING, state: 'done' }] as const;
      expect(names(attempt({ parts: done }))).to.deep.equal(['Reading']);
      expect(
        names(attempt({ state: 'waiting', parts: [{ name: 'Reading', state: 'waiting' }] })),
      ).to.deep.equal(['Reading']);
    });

    it('shows the attempt if none of its steps failed', () => {
      const parts = [{ ...READING, state: 'stopped' }] as const;
      expect(names(attempt({ state: 'failed', parts }))).to.deep.equal(['Attempt 1']);
    });

    it('shows every attempt if there are several', () => {
      const parts = [READING];
      expect(names(attempt({ parts }), attempt({ name: 'Attempt 2', parts }))).to.deep.equal([
        'Attempt 1',
        'Attempt 2',
      ]);
    });
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
