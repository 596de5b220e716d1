import yargs, { type Argv } from 'yargs';
import { AdministrationError } from '#administration/errors/administration-error.ts';
import { toError } from '#runtime/errors.ts';
import type { CommandGroup, Run } from './command.ts';
import { completeNames, type ReadWords } from './complete-names.ts';
import { EXIT_CODES, EXIT_CODES_HELP, exitCodeOf } from './exit-codes.ts';
import type { GlobalArguments } from './global-arguments.ts';
import { OUTPUT_FORMATS, type Output, renderResponse } from './output.ts';
import type { OpenSession } from './session.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

/** Options that users know from other tools. */
const SECRET_OPTION =
  /^--?(?:aws-?)?(?:secret(?:-?(?:access-?)?key)?|access-?key(?:-?id)?|credentials?|password|token|api-?key|webhook-?secret|signing-?secret)(?:=|$)/i;

/** Formats of credentials: an AWS access key, a zipjobs token, a signing secret, a Kubernetes token. */
const SECRET_VALUES: readonly RegExp[] = [
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\bzj_[A-Za-z0-9]{20,}/,
  /\bwhsec_[A-Za-z0-9+/=]{8,}/,
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\./,
];

const REMEDY =
  'Never pass credentials as arguments: other users of the machine can read them, and the shell keeps them in its history. Pass them at the prompt, in a file (--credentials-file FILE), on standard input (--credentials-file -), or in ZIPJOBS_ACCESS_KEY_ID and ZIPJOBS_SECRET_ACCESS_KEY. Refer to a token by its id (zipjobs token list). If you just typed a credential, rotate it';

/** The secret of an AWS access key is 40 random characters. */
const AWS_SECRET = /(?:^|=)([A-Za-z0-9/+]{40})$/;
/** Two neighbours of different kinds: lower case, upper case, digit. */
const CHANGE = /(?<=[a-z])[A-Z0-9]|(?<=[A-Z])[a-z0-9]|(?<=\d)[A-Za-z]/g;
/** Of 39 pairs. Random characters have 23 on average and fewer than 12 once in ten thousand; a path of words has a few. */
const MIN_CHANGES = 12;

function isAwsSecret(arg: string): boolean {
  const [, text = ''] = AWS_SECRET.exec(arg) ?? [];
  return /[A-Z]/.test(text) && /[a-z]/.test(text) && (text.match(CHANGE) ?? []).length >= MIN_CHANGES;
}

/** @throws UsageError that does not repeat the argument. */
function refuseSecretArguments(args: readonly string[]): void {
  const option = args.find((arg) => SECRET_OPTION.test(arg));
  if (option !== undefined) throw new UsageError(`Unknown option ${option.split('=', 1)[0]}. ${REMEDY}`);
  const position = args.findIndex(
    (arg) => isAwsSecret(arg) || SECRET_VALUES.some((shape) => shape.test(arg)),
  );
  if (position >= 0) throw new UsageError(`Argument ${position + 1} looks like a credential. ${REMEDY}`);
}

export interface ProgramOptions {
  readonly version: string;
  readonly groups: readonly CommandGroup[];
  readonly terminal: Terminal;
  readonly openSession: OpenSession;
  readonly signal: AbortSignal;
}

const NAME = 'zipjobs';
/** Wide enough for examples on one line, narrow enough for a split screen. */
const HELP_WIDTH = 110;

const PARSER_CONFIGURATION = { 'duplicate-arguments-array': false, 'dot-notation': false };

function withGlobalOptions(parser: Argv): Argv<GlobalArguments> {
  return parser.options({
    namespace: {
      alias: 'n',
      type: 'string',
      requiresArg: true,
      describe: 'Namespace of the project; default: the namespace of the context',
    },
    output: {
      alias: 'o',
      choices: OUTPUT_FORMATS,
      default: 'table' as const,
      requiresArg: true,
      describe: 'Output format',
    },
    context: { type: 'string', requiresArg: true, describe: 'Context of the kubeconfig' },
    kubeconfig: {
      type: 'string',
      requiresArg: true,
      describe: 'Kubeconfig file; default: KUBECONFIG, ~/.kube/config, the service account of the pod',
    },
  });
}

function createParser({ version, groups }: ProgramOptions, run: Run): Argv<GlobalArguments> {
  const parser = yargs()
    .scriptName(NAME)
    .usage('$0: manage projects, buckets, tokens, webhooks and jobs of zipjobs with your kubeconfig')
    .locale('en')
    .exitProcess(false)
    .fail(false)
    .strict()
    .parserConfiguration(PARSER_CONFIGURATION)
    .version(version)
    .help()
    .alias('h', 'help')
    .wrap(HELP_WIDTH)
    .completion('completion', 'Print the shell completion script: zipjobs completion >> ~/.bashrc')
    .demandCommand(1, 'Choose what to manage')
    .epilogue(EXIT_CODES_HELP);
  return groups.reduce((all, group) => group(all, run), withGlobalOptions(parser));
}

/** yargs throws plain errors for invalid arguments; commands throw their own error classes. */
function usageError(thrown: unknown, args: readonly string[]): UsageError {
  const words = args.slice(0, args.findIndex((arg) => arg.startsWith('-')) >>> 0).slice(0, 2);
  const help = [NAME, ...words.filter((word) => /^[a-z-]+$/.test(word)), '--help'].join(' ');
  return new UsageError(`${toError(thrown).message.trim()}. See: ${help}`, thrown);
}

interface Parsed {
  readonly help: string;
  readonly output: { readonly of: Output; readonly format: GlobalArguments['output'] } | undefined;
}

async function parse(options: ProgramOptions, args: readonly string[]): Promise<Parsed> {
  let output: Parsed['output'];
  const command = { hasStarted: false };
  let help = '';
  const run: Run = (perform) => async (parsed) => {
    command.hasStarted = true;
    await using session = await options.openSession(parsed);
    output = { of: await perform(parsed, session), format: parsed.output };
  };
  try {
    await createParser(options, run).parseAsync([...args], {}, (_error, _parsed, printed) => {
      help += printed;
    });
  } catch (error) {
    throw command.hasStarted ? error : usageError(error, args);
  }
  return { help, output };
}

function readWords(options: ProgramOptions): ReadWords {
  return {
    command: async (words) => {
      let read: Readonly<Record<string, unknown>> | undefined;
      const run: Run = () => async (args) => {
        read = { ...args } as Readonly<Record<string, unknown>>;
      };
      try {
        await createParser(options, run).parseAsync([...words], {}, () => undefined);
      } catch {
        return undefined;
      }
      return read;
    },
    globals: (words) => {
      try {
        const parser = withGlobalOptions(yargs().exitProcess(false).fail(false).help(false).version(false));
        return parser.parserConfiguration(PARSER_CONFIGURATION).parseSync([...words]);
      } catch {
        return {};
      }
    },
  };
}

/** The completion script passes this argument; yargs completes everything except names. */
export const COMPLETE = '--get-yargs-completions';

/** Output on a full disk is not complete, so the command has failed, whatever it did. */
async function printAll(terminal: Terminal, text: string, ifLost = ''): Promise<void> {
  try {
    await terminal.print(text, ifLost !== '');
  } catch (error) {
    const next = ifLost === '' ? '' : `. ${ifLost}`;
    throw new Error(`Cannot write the output: ${toError(error).message}${next}`, { cause: error });
  }
}

async function outputFor(options: ProgramOptions, args: readonly string[]): Promise<number> {
  const { terminal } = options;
  if (args[0] === COMPLETE) {
    const names = await completeNames(options.openSession, args.slice(2), readWords(options));
    if (names) {
      await printAll(terminal, names.map((name) => `${name}\n`).join(''));
      return EXIT_CODES.ok;
    }
  }
  refuseSecretArguments(args);
  const { help, output } = await parse(options, args);
  if (help !== '') await printAll(terminal, `${help}\n`);
  if (!output) return EXIT_CODES.ok;
  await printAll(terminal, renderResponse(output.of, output.format), output.of.ifLost);
  for (const note of output.of.notes ?? []) terminal.note(note);
  return output.of.exitCode ?? EXIT_CODES.ok;
}

function messageOf(thrown: unknown): string {
  const { message } = toError(thrown);
  const hint = thrown instanceof AdministrationError ? thrown.commandHint : undefined;
  return hint === undefined ? message : `${message}. ${hint}`;
}

/** Runs the program and returns its exit code. */
export function createProgram(options: ProgramOptions) {
  return async (args: readonly string[]): Promise<number> => {
    try {
      return await outputFor(options, args);
    } catch (error) {
      const code = options.signal.aborted ? EXIT_CODES.interrupted : exitCodeOf(error);
      const message = code === EXIT_CODES.interrupted ? 'interrupted' : messageOf(error);
      options.terminal.note(`${NAME}: ${message}`);
      return code;
    }
  };
}
