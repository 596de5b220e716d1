import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { LONGEST_TIMER_MS } from '#runtime/time/clock.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');

const KILL = `process.kill(process.pid, 'SIGTERM');`;

/** A process whose task ends with this exit code, but which does not exit by itself, gets a signal during or after its end. */
async function endOf(
  code: number,
  { during = '', after = '', task = '', limitMs = 1_000 },
): Promise<{ readonly code: unknown; readonly signal: unknown }> {
  const program = `
    import { createLogger } from '#runtime/log/log.ts';
    import { run } from '#runtime/process/lifecycle.ts';
    const log = createLogger('test', { level: 'silent' });
    ${during}
    await run(async () => { ${task} return ${code}; }, { log, shutdownTimeoutMs: ${limitMs} });
    setInterval(() => undefined, 1_000);
    ${after}
  `;
  const args = ['--input-type=module', '--eval', program];
  return promisify(execFile)(process.execPath, args, { cwd: ROOT, timeout: 30_000 }).then(
    () => ({ code: 0, signal: null }),
    (error: { readonly code: unknown; readonly signal: unknown }) => error,
  );
}

describe('a process', () => {
  for (const code of [0, 37])
    it(`exits with ${code} at once if a signal arrives after its task has ended with that code`, async () => {
      expect(await endOf(code, { after: KILL })).to.include({ code, signal: null });
    });

  it('has its time to stop, if that is the sum of two longest times of a timer (BC5)', async () => {
    const task = `${KILL} await new Promise((resolve) => setTimeout(resolve, 200));`;
    const limitMs = 2 * LONGEST_TIMER_MS + 1_000;
    expect(await endOf(37, { task, limitMs, after: KILL })).to.include({ code: 37, signal: null });
  });

  it('keeps its exit code if the signal arrives while its handler is replaced (F8)', async () => {
    const during = `process.on('removeListener', (event) => { if (event === 'SIGTERM') ${KILL} });`;
    expect(await endOf(37, { during })).to.include({ code: 37, signal: null });
  });
});
