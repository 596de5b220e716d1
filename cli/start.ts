import { COMPLETE } from './program.ts';
import { programName } from './program-name.ts';
import { createCommandLineProgram } from './wiring.ts';

/** Runs the command line with the arguments and streams of this process, and sets its exit code. */
export async function startProcess(): Promise<void> {
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      interrupt.abort(new DOMException(`received ${signal}`, 'AbortError'));
    });
  // The program sees each failed write of its output. A reader that leaves the progress or the notes must not end it.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

  const [, file, ...args] = process.argv;
  const run = createCommandLineProgram({
    env: process.env,
    cwd: process.cwd(),
    input: process.stdin,
    output: process.stdout,
    errors: process.stderr,
    signal: interrupt.signal,
    name: programName(file),
  });
  process.exitCode = await run(args);
  // A credential plugin that still runs would keep this process, and so the shell, waiting.
  if (args[0] === COMPLETE) process.exit();
}
