import type { Argv } from 'yargs';
import type { Answer } from './answer.ts';
import type { GlobalArguments } from './global-arguments.ts';
import type { Session } from './session.ts';

/** One command: what it was given, and the cluster it works on. Failures are thrown. */
export type Command<A> = (args: A, session: Session) => Promise<Answer>;

/** Makes a yargs handler of a command. */
export type Run = <A extends GlobalArguments>(command: Command<A>) => (args: A) => Promise<void>;

/** Adds the commands that begin with one word. */
export type CommandGroup = (parser: Argv<GlobalArguments>, run: Run) => Argv<GlobalArguments>;
