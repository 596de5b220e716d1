import { expect } from 'chai';
import { createDueTimes } from '#controller/reconciling/due-times.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { createRandom } from '#test/support/random.ts';

function setUp() {
  const clock = createManualClock();
  const fired: string[] = [];
  const due = createDueTimes({ clock, onDue: (key) => fired.push(`${key} ${clock.monotonicMs()}`) });
  return { clock, fired, due };
}

describe('createDueTimes', () => {
  it('fires each key once, at its earliest time, in order, with one timer (G3)', async () => {
    const { clock, fired, due } = setUp();
    due.add('a', 300);
    due.add('b', 100);
    due.add('c', 200);
    due.add('a', 250);
    due.add('c', 900);
    expect([due.size, clock.pending]).to.deep.equal([3, 1]);
    await clock.advance(1_000);
    expect(fired).to.deep.equal(['b 100', 'c 200', 'a 250']);
    expect([due.size, clock.pending]).to.deep.equal([0, 0]);
  });

  it('fires a thousand keys like a sorted list, whatever is added, moved and removed (G3)', async () => {
    const { clock, fired, due } = setUp();
    const random = createRandom(7);
    const expected = new Map<string, number>();
    for (let step = 0; step < 5_000; step += 1) {
      const key = `k${random.int(0, 999)}`;
      if (random.int(1, 4) === 1) {
        due.remove(key);
        expected.delete(key);
        continue;
      }
      const atMs = random.int(1, 100_000);
      due.add(key, atMs);
      expected.set(key, Math.min(atMs, expected.get(key) ?? Infinity));
    }
    expect([due.size, clock.pending]).to.deep.equal([expected.size, 1]);
    await clock.advance(100_001);
    const times = fired.map((line) => Number(line.split(' ')[1]));
    expect(times).to.deep.equal([...times].sort((a, b) => a - b));
    expect(fired.toSorted()).to.deep.equal([...expected].map(([key, atMs]) => `${key} ${atMs}`).sort());
  });

  it('fires everything that became due while the process was paused (G3)', async () => {
    const { clock, fired, due } = setUp();
    for (const [key, atMs] of [
      ['a', 10],
      ['b', 20],
      ['c', 5_000],
    ] as const)
      due.add(key, atMs);
    clock.jump(1_000);
    await clock.advance(0);
    expect(fired).to.deep.equal(['a 1000', 'b 1000']);
    expect(due.size).to.equal(1);
  });

  it('leaves no timer after its end', () => {
    const { clock, due } = setUp();
    due.add('a', 10);
    due.clear();
    expect([due.size, clock.pending]).to.deep.equal([0, 0]);
  });
});
