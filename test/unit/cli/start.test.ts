import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';

const run = promisify(execFile);

/** Prints the modules that were loaded. */
const RECORDER = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  const urls = new Set();
  registerHooks({ load(url, context, next) { urls.add(url); return next(url, context); } });
  process.on('exit', () => process.stderr.write([...urls].join('\\n')));
`)}`;

async function modulesOf(...args: readonly string[]): Promise<readonly string[]> {
  const { stderr } = await run(process.execPath, ['--import', RECORDER, 'cli/main.ts', ...args]);
  return stderr.split('\n').filter((url) => url !== '' && !url.startsWith('node:'));
}

/** Before each command loaded only what it needs, there were 700. */
const MOST_MODULES = 200;

describe('the start of the command line', function () {
  this.timeout(60_000);

  for (const args of [['--version'], ['job', '--help'], ['--get-yargs-completions', 'zipjobs', 'job', '']])
    it(`loads few modules for ${args.join(' ')} (Q-C0)`, async () => {
      const modules = await modulesOf(...args);
      expect(modules.length, modules.join('\n')).to.be.greaterThan(20).and.lessThan(MOST_MODULES);
    });

  it('keeps compiled code in the cache of the user (Q-C0)', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'zipjobs-cache-'));
    try {
      const { PATH } = process.env;
      for (const [env, cache] of [
        [{ HOME: join(dir, 'home') }, 'home/.cache/zipjobs'],
        [{ HOME: join(dir, 'home'), XDG_CACHE_HOME: join(dir, 'xdg') }, 'xdg/zipjobs'],
      ] as const) {
        await run(process.execPath, ['cli/main.ts', '--version'], { env: { PATH, ...env } });
        expect(await readdir(join(dir, cache))).to.have.length(1);
      }
      const { stdout } = await run(process.execPath, ['cli/main.ts', '--version'], { env: { PATH } });
      expect(stdout).to.match(/^\d+\.\d+\.\d+\n$/);
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});
