import { systemClock } from '#runtime/clock.ts';
import packageJson from '../package.json' with { type: 'json' };
import { addBucketCommands } from './bucket-commands.ts';
import { readCommandLineConfig } from './config.ts';
import { addJobCommands } from './job-commands.ts';
import { createProgram } from './program.ts';
import { addProjectCommands } from './project-commands.ts';
import { createOpenSession } from './session.ts';
import { createSysdumpCommands } from './sysdump-command.ts';
import { createTerminal } from './terminal.ts';
import { addTokenCommands } from './token-commands.ts';
import { addUninstallCommand } from './uninstall-command.ts';
import { addWebhookCommands } from './webhook-commands.ts';

const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    interrupt.abort(new DOMException(`received ${signal}`, 'AbortError'));
  });
// The reader may close the pipe early, as `| head` does.
process.stdout.on('error', () => process.exit(0));

const terminal = createTerminal({ input: process.stdin, output: process.stdout, errors: process.stderr });
const openSession = createOpenSession({
  config: () => readCommandLineConfig(process.env),
  userAgent: `zipjobs/${packageJson.version}`,
  terminal,
  clock: systemClock,
  signal: interrupt.signal,
  env: process.env,
});
const program = createProgram({
  version: packageJson.version,
  groups: [
    addProjectCommands,
    addBucketCommands,
    addTokenCommands,
    addWebhookCommands,
    addJobCommands,
    createSysdumpCommands(packageJson.version),
    addUninstallCommand,
  ],
  terminal,
  openSession,
  signal: interrupt.signal,
});
process.exitCode = await program(process.argv.slice(2));
