import { setImmediate as afterEvents } from 'node:timers/promises';
import { expect } from 'chai';
import { createTaskQueue } from '#runtime/fair/task-queue.ts';

describe('createTaskQueue', () => {
  it('runs one task at a time, and serves groups round-robin (N1)', async () => {
    const enqueue = createTaskQueue(1);
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
    const enqueue = createTaskQueue(1);
    const failed = enqueue('a', () => Promise.reject(new Error('invalid'))).catch(String);
    const next = enqueue('a', () => Promise.resolve('ok'));
    expect(await Promise.all([failed, next])).to.deep.equal(['Error: invalid', 'ok']);
    expect(await enqueue('a', () => Promise.resolve('later'))).to.equal('later');
  });

  it('gives one group at most a quarter of the places, and each free place to the next group (N7)', async () => {
    const enqueue = createTaskQueue(8);
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
