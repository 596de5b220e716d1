import { systemClock } from '#runtime/time/clock.ts';
import packageJson from '../package.json' with { type: 'json' };
import { addBucketCommands } from './bucket-commands.ts';
import { readCommandLineConfig } from './config.ts';
import { addJobCommands } from './job-commands.ts';
import { createProgram } from './program.ts';
import { addProjectCommands } from './project-commands.ts';
import { createOpenSession } from './session.ts';
import { createSysdumpCommands } from './sysdump-command.ts';
import { createTerminal, type TerminalOptions } from './terminal.ts';
import { addTokenCommands } from './token-commands.ts';
import { addUninstallCommand } from './uninstall-command.ts';
import { createVersionCommand } from './version-command.ts';
import { addWebhookCommands } from './webhook-commands.ts';

const { version } = packageJson;

/** What the program gets from its process. */
export interface ProcessContext extends TerminalOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborts when the user interrupts the program. */
  readonly signal: AbortSignal;
}

/** The program `zipjobs`: takes its arguments, without the name, and returns its exit code. Runs share no state. */
export function createCommandLineProgram({ env, cwd, signal, ...streams }: ProcessContext) {
  const terminal = createTerminal({ ...streams, term: env['TERM'], noColor: env['NO_COLOR'] });
  return createProgram({
    version,
    groups: [
      addProjectCommands,
      addBucketCommands,
      addTokenCommands,
      addWebhookCommands,
      addJobCommands,
      createSysdumpCommands(version),
      addUninstallCommand,
      createVersionCommand(version),
    ],
    terminal,
    openSession: createOpenSession({
      config: () => readCommandLineConfig(env),
      userAgent: `zipjobs/${version}`,
      terminal,
      clock: systemClock,
      signal,
      env,
      cwd,
    }),
    signal,
    shell: env['SHELL']?.split('/').at(-1),
  });
}
