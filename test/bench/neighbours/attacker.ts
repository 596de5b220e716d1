import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { constants, getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import type { AttackOrder } from '../attacker-main.ts';

/** Steps of niceness below the priority of the bench: a third of the processor time, so that it is not starved either. */
const LOWER_BY = 5;

/**
 * Where the scheduler groups processes by session (autogroup), the priority of a process counts only within its session.
 * The group of the session has a priority of its own.
 */
async function lowerPriority(pid: number): Promise<void> {
  const priority = Math.min(constants.priority.PRIORITY_LOW, getPriority() + LOWER_BY);
  setPriority(pid, priority);
  // Absent without autogroups.
  await writeFile(`/proc/${pid}/autogroup`, `${priority}`).catch(() => undefined);
}

/** A process in a session of its own, which yields the processors to the measured ones: its clients run on other machines. */
export async function startAttacker(
  order: AttackOrder,
): Promise<AsyncDisposable & { readonly requests: () => number }> {
  const child = fork(join(import.meta.dirname, '../attacker-main.ts'), { detached: true });
  if (child.pid !== undefined) await lowerPriority(child.pid);
  let requests = 0;
  child.on('message', (count) => {
    requests = Number(count);
  });
  child.send(order);
  return {
    requests: () => requests,
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}
