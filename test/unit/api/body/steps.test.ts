import { setImmediate as afterEvents } from 'node:timers/promises';
import { expect } from 'chai';
import { createQueue, createRunSteps, type Steps } from '#api/body/steps.ts';

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

describe('createQueue', () => {
  it('runs one task at a time, and serves projects round-robin (N1)', async () => {
    const enqueue = createQueue(1);
    const order: string[] = [];
    let running = 0;
    function task(name: string) {
      return async (): Promise<string> => {
        running += 1;
        expect(running).to.equal(1);
        await afterEvents();
        running -= 1;
        order.push(name);
        return name;
      };
    }
    const tasks = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => enqueue(name.slice(0, 1), task(name)));
    expect(await Promise.all(tasks)).to.deep.equal(['a1', 'a2', 'a3', 'b1', 'b2', 'c1']);
    expect(order).to.deep.equal(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  it('throws the error of a task, and runs the next one', async () => {
    const enqueue = createQueue(1);
    const failed = enqueue('a', () => Promise.reject(new Error('invalid'))).catch(String);
    const next = enqueue('a', () => Promise.resolve('ok'));
    expect(await Promise.all([failed, next])).to.deep.equal(['Error: invalid', 'ok']);
    expect(await enqueue('a', () => Promise.resolve('later'))).to.equal('later');
  });

  it('gives one project at most a quarter of the places, and each free place to the next project (N7)', async () => {
    const enqueue = createQueue(8);
    const started: string[] = [];
    const ends = new Map<string, () => void>();
    function begin(name: string): void {
      void enqueue(name.slice(0, 1), () => {
        started.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      });
    }
    async function finish(name: string): Promise<void> {
      ends.get(name)?.();
      await afterEvents();
    }
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1', 'c2', 'd1', 'd2', 'e1', 'f1']) begin(name);
    await afterEvents();
    const first = ['a1', 'a2', 'b1', 'b2', 'c1', 'c2', 'd1', 'd2'];
    expect(started).to.deep.equal(first);
    await finish('b1');
    expect(started).to.deep.equal([...first, 'e1']);
    await finish('a1');
    await finish('c1');
    expect(started).to.deep.equal([...first, 'e1', 'a3', 'f1']);
  });
});
