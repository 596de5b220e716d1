import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';

const ROOT = resolve(import.meta.dirname, '../../..');

/** A process whose task has ended with this exit code, but which does not exit by itself, gets a signal. */
const endOf = async (code: number): Promise<{ readonly code: unknown; readonly signal: unknown }> => {
  const program = `
    import { createLogger } from '#runtime/log.ts';
    import { run } from '#runtime/lifecycle.ts';
    const log = createLogger('test', { level: 'silent' });
    await run(async () => ${code}, { log, shutdownTimeoutMs: 1_000 });
    setInterval(() => undefined, 1_000);
    process.kill(process.pid, 'SIGTERM');
  `;
  const args = ['--input-type=module', '--eval', program];
  return promisify(execFile)(process.execPath, args, { cwd: ROOT, timeout: 30_000 }).then(
    () => ({ code: 0, signal: null }),
    (error: { readonly code: unknown; readonly signal: unknown }) => error,
  );
};

describe('a process', () => {
  for (const code of [0, 37])
    it(`exits with ${code} at once if a signal arrives after its task has ended with that code`, async () => {
      expect(await endOf(code)).to.include({ code, signal: null });
    });
});
