import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

const { XDG_CACHE_HOME: cacheHome = '', HOME: home = '' } = process.env;
const cache = cacheHome === '' && home !== '' ? join(home, '.cache') : cacheHome;
// A static import would be compiled before. The directory is the user's: code from a shared one, such as /tmp, would run as this user.
if (cache !== '') enableCompileCache(join(cache, 'zipjobs'));
const { COMPLETE } = await import('./program.ts');
const { createCommandLineProgram } = await import('./wiring.ts');

const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    interrupt.abort(new DOMException(`received ${signal}`, 'AbortError'));
  });
// The program sees each failed write of its output. A reader that leaves the progress or the notes must not end it.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const run = createCommandLineProgram({
  env: process.env,
  cwd: process.cwd(),
  input: process.stdin,
  output: process.stdout,
  errors: process.stderr,
  signal: interrupt.signal,
});
const args = process.argv.slice(2);
process.exitCode = await run(args);
// A credential plugin that still runs would keep this process, and so the shell, waiting.
if (args[0] === COMPLETE) process.exit();
