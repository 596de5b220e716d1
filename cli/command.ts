import type { Argv } from 'yargs';
import type { GlobalArguments } from './global-arguments.ts';
import type { Output } from './output.ts';
import type { Session } from './session.ts';

/** One command, run with its arguments against a cluster. Failures are thrown. */
export type Command<A> = (args: A, session: Session) => Promise<Output>;

/** Turns a command into a yargs handler. */
export type Run = <A extends GlobalArguments>(command: Command<A>) => (args: A) => Promise<void>;

/** Adds the commands that share a first word. */
export type CommandGroup = (parser: Argv<GlobalArguments>, run: Run) => Argv<GlobalArguments>;

/** The message of a command that needs another word. The user sees the help instead. */
export const NO_COMMAND = 'Choose a command';
