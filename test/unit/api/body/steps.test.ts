import { setImmediate as afterEvents } from 'node:timers/promises';
import { expect } from 'chai';
import { createRunSteps, type Steps } from '#api/body/steps.ts';

const TASKS = 20;
const STEPS = 20;

/** Occupies the processor for about a millisecond in each step. */
function* busy(steps: number, onStep: () => void = () => undefined): Steps<string> {
  for (let count = 0; count < steps; count += 1) {
    const end = performance.now() + 1;
    while (performance.now() < end);
    onStep();
    yield;
  }
  return 'done';
}

describe('createRunSteps', () => {
  it('lets other requests run after each slice, however many requests are read at once (N1)', async () => {
    const runSteps = createRunSteps();
    let steps = 0;
    const state = { ended: false };
    function onStep(): void {
      steps += 1;
    }
    const tasks = Array.from({ length: TASKS }, () => runSteps('a', busy(STEPS, onStep)));
    const done = Promise.all(tasks).finally(() => {
      state.ended = true;
    });
    let most = 0;
    while (!state.ended) {
      const before = steps;
      await afterEvents();
      most = Math.max(most, steps - before);
    }
    expect(new Set(await done)).to.deep.equal(new Set(['done']));
    expect(steps).to.equal(TASKS * STEPS);
    expect(most).to.be.below(TASKS / 4);
  });

  it('serves projects round-robin, so that many requests of one do not delay those of another (N1)', async () => {
    const runSteps = createRunSteps();
    let unfinished = TASKS;
    const many = Array.from({ length: TASKS }, async () => {
      await runSteps('a', busy(STEPS));
      unfinished -= 1;
    });
    await runSteps('b', busy(STEPS));
    expect(unfinished).to.equal(TASKS);
    await Promise.all(many);
  });

  it('throws the error of a step, and runs the others', async () => {
    const runSteps = createRunSteps();
    function* failing(): Steps<undefined> {
      yield* busy(STEPS);
      throw new Error('too much');
    }
    const failed = runSteps('a', failing()).catch(String);
    const other = runSteps('a', busy(STEPS));
    expect(await Promise.all([failed, other])).to.deep.equal(['Error: too much', 'done']);
    expect(await runSteps('a', busy(STEPS))).to.equal('done');
  });
});
