import { systemClock } from '#runtime/time/clock.ts';
import packageJson from '../package.json' with { type: 'json' };
import { addBucketCommands } from './bucket-commands.ts';
import { createDoctorCommand } from './doctor-command.ts';
import { addJobCommands } from './job-commands.ts';
import { createProgram } from './program.ts';
import { NAME, type ProgramName } from './program-name.ts';
import { addProjectCommands } from './project-commands.ts';
import { addRequestCommands } from './request-commands.ts';
import { createStatusCommand } from './status-command.ts';
import { createSysdumpCommands } from './sysdump-command.ts';
import { createTerminal, type TerminalOptions } from './terminal.ts';
import { addTokenCommands } from './token-commands.ts';
import { addUninstallCommand } from './uninstall-command.ts';
import { createVersionCommand } from './version-command.ts';
import { addWebhookCommands } from './webhook-commands.ts';

const { version } = packageJson;

/** What the program gets from its process. */
export interface ProcessContext extends Omit<TerminalOptions, 'name'> {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** How the user calls the program; zipjobs by default. */
  readonly name?: ProgramName;
  /** Aborts when the user interrupts the program. */
  readonly signal: AbortSignal;
}

/** The program `zipjobs`: takes its arguments, without the name, and returns its exit code. Runs share no state. */
export function createCommandLineProgram({ env, cwd, signal, name = NAME, ...streams }: ProcessContext) {
  const terminal = createTerminal({ ...streams, name, term: env['TERM'], noColor: env['NO_COLOR'] });
  return createProgram({
    version,
    name,
    groups: [
      addProjectCommands,
      addBucketCommands,
      addTokenCommands,
      addWebhookCommands,
      addJobCommands,
      addRequestCommands,
      createStatusCommand(version),
      createDoctorCommand(version),
      createSysdumpCommands(version),
      addUninstallCommand,
      createVersionCommand(version),
    ],
    terminal,
    openSession: async (args) => {
      // These imports load the clients of Kubernetes: skip them for help, completion of options and invalid words.
      const { createOpenSession } = await import('./session.ts');
      const { readCommandLineConfig } = await import('./config.ts');
      return createOpenSession({
        config: () => readCommandLineConfig(env),
        userAgent: `zipjobs/${version}`,
        terminal,
        clock: systemClock,
        signal,
        env,
        cwd,
      })(args);
    },
    signal,
    shell: env['SHELL']?.split('/').at(-1),
  });
}
