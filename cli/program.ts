import yargs, { type Argv } from 'yargs';
import { AdministrationError } from '#administration/errors/administration-error.ts';
import { toError } from '#runtime/errors.ts';
import { type CommandGroup, NO_COMMAND, type Run } from './command.ts';
import { completeNames, type ReadWords, type Suggestion } from './complete-names.ts';
import { completionScript, SHELLS } from './completion-script.ts';
import { EXIT_CODES, EXIT_CODES_HELP, exitCodeOf } from './exit-codes.ts';
import { commandIn, explainUsage, type Grammar, wrongWord } from './explain-usage.ts';
import type { GlobalArguments } from './global-arguments.ts';
import { OUTPUT_FORMATS, type Output, renderResponse } from './output.ts';
import { NAME, type ProgramName } from './program-name.ts';
import { refuseSecretArguments } from './secret-arguments.ts';
import type { OpenSession } from './session.ts';
import { printable } from './table.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

export interface ProgramOptions {
  readonly version: string;
  /** How the user calls the program. */
  readonly name: ProgramName;
  readonly groups: readonly CommandGroup[];
  readonly terminal: Terminal;
  readonly openSession: OpenSession;
  readonly signal: AbortSignal;
  /** The user's shell, such as zsh. */
  readonly shell?: string | undefined;
}

/** The arguments name no command; the message is the help of what they name. */
class NoCommandError extends UsageError {}
/** Wide enough for examples on one line, narrow enough for a split screen. */
const HELP_WIDTH = 110;

const GLOBAL_OPTIONS = 'Global options:';

/** The parser prints named groups of options first, and those of the command last. */
function commandOptionsFirst(help: string): string {
  const blocks = help.split('\n\n');
  const globals = blocks.findIndex((block) => block.startsWith(GLOBAL_OPTIONS));
  const own = blocks.findIndex((block) => block.startsWith('Options:'));
  if (globals < 0 || own < globals) return help;
  return blocks
    .with(globals, blocks[own] ?? '')
    .with(own, blocks[globals] ?? '')
    .join('\n\n');
}

const PARSER_CONFIGURATION = { 'dot-notation': false };

/** Arguments that are lists. */
const LISTS: readonly string[] = ['_', 'urls'];

/** The last value of a repeated option counts. With 'duplicate-arguments-array', only the last of several arguments would. */
function keepLast(args: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(args))
    if (Array.isArray(value) && !LISTS.includes(name)) args[name] = value.at(-1);
}

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

/** The parser completes words only if it has a command that prints its own script. */
const YARGS_COMPLETION = 'completion-script';

/** `onText` receives what commands print that need no cluster. */
function createParser(
  options: ProgramOptions,
  run: Run,
  onText: (text: string) => void = () => undefined,
): Argv<GlobalArguments> {
  const { version, name, groups } = options;
  const parser = yargs()
    .scriptName(name)
    .usage('$0: manage projects, buckets, tokens, webhooks and jobs of zipjobs with your kubeconfig')
    .locale('en')
    .exitProcess(false)
    .fail(false)
    .strict()
    .parserConfiguration(PARSER_CONFIGURATION)
    .middleware(keepLast, true)
    .version(version)
    .help()
    .alias('h', 'help')
    .group(['namespace', 'output', 'context', 'kubeconfig', 'help', 'version'], GLOBAL_OPTIONS)
    .wrap(HELP_WIDTH)
    .completion(YARGS_COMPLETION, false)
    .command(
      'completion [shell]',
      'Print the completion script of a shell',
      (args) =>
        args
          .positional('shell', { choices: SHELLS, describe: 'Default: your shell' })
          .example('$0 completion bash >> ~/.bashrc', 'Complete in bash')
          .example('$0 completion zsh >> ~/.zshrc', 'Complete in zsh')
          .example('$0 completion fish > ~/.config/fish/completions/zipjobs.fish', 'Complete in fish')
          .example(
            '$0 completion kubectl > ~/.local/bin/kubectl_complete-zipjobs',
            'Complete "kubectl zipjobs" (make it executable)',
          ),
      ({ shell }) => {
        onText(completionScript(shell ?? (name === NAME ? options.shell : 'kubectl')));
      },
    )
    .demandCommand(1, NO_COMMAND)
    .epilogue(EXIT_CODES_HELP);
  return groups.reduce((all, group) => group(all, run), withGlobalOptions(parser));
}

interface Parsed {
  readonly help: string;
  readonly output: { readonly of: Output; readonly format: GlobalArguments['output'] } | undefined;
}

/** yargs throws plain errors for invalid arguments; commands throw their own error classes. */
async function usageError(
  options: ProgramOptions,
  thrown: unknown,
  args: readonly string[],
): Promise<UsageError> {
  const message = toError(thrown).message.trim();
  const grammar = grammarOf(options);
  if (message !== NO_COMMAND) return explainUsage(message, args, grammar);
  const path = await commandIn(args, grammar);
  return (await wrongWord(args, grammar)) ?? new NoCommandError(await grammar.help(path));
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
    function onText(text: string): void {
      help += text;
    }
    await createParser(options, run, onText).parseAsync([...args], {}, (_error, _parsed, printed) => {
      onText(commandOptionsFirst(printed));
    });
  } catch (error) {
    throw command.hasStarted ? error : await usageError(options, error, args);
  }
  return { help, output };
}

/** What the parser prints for these words, without running a command. */
async function printedFor(options: ProgramOptions, words: readonly string[]): Promise<string> {
  let text = '';
  const parser = createParser(options, () => () => Promise.resolve());
  await parser.parseAsync([...words], {}, (_error, _parsed, printed) => {
    text += commandOptionsFirst(printed);
  });
  return text;
}

function grammarOf(options: ProgramOptions): Grammar {
  return {
    // A shell may show a description after the colon.
    next: async (words) =>
      (await printedFor(options, [COMPLETE, NAME, ...words]))
        .split('\n')
        .map((line) => line.split(':', 1)[0] ?? ''),
    help: (words) => printedFor(options, [...words, '--help']),
  };
}

/** `help job get` is `job get --help`. @throws UsageError if there is no such command */
async function withHelpOption(options: ProgramOptions, args: readonly string[]): Promise<readonly string[]> {
  if (args[0] !== 'help') return args;
  const words = args.slice(1).filter((arg) => !arg.startsWith('-'));
  const grammar = grammarOf(options);
  const path = await commandIn(words, grammar);
  const unknown = words[path.length];
  if (unknown !== undefined) throw await explainUsage(`Unknown argument: ${unknown}`, words, grammar);
  return [...path, '--help'];
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
        return parser
          .parserConfiguration(PARSER_CONFIGURATION)
          .middleware(keepLast, true)
          .parseSync([...words]);
      } catch {
        return {};
      }
    },
  };
}

/** The completion script passes this argument; yargs completes everything except names. */
export const COMPLETE = '--get-yargs-completions';

/** zsh shows what follows a colon beside the name. */
function suggestionText({ name, description }: Suggestion, { shell }: ProgramOptions): string {
  return shell === 'zsh' && description !== undefined ? `${name}:${printable(description)}` : name;
}

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
      await printAll(terminal, names.map((one) => `${suggestionText(one, options)}\n`).join(''));
      return EXIT_CODES.ok;
    }
  }
  refuseSecretArguments(args);
  const { help, output } = await parse(options, await withHelpOption(options, args));
  if (help !== '') await printAll(terminal, `${help}\n`);
  if (!output) return EXIT_CODES.ok;
  await printAll(terminal, await renderResponse(output.of, output.format), output.of.ifLost);
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
      if (error instanceof NoCommandError) {
        options.terminal.note(error.message);
        return EXIT_CODES.usage;
      }
      const code = options.signal.aborted ? EXIT_CODES.interrupted : exitCodeOf(error);
      const message = code === EXIT_CODES.interrupted ? 'interrupted' : messageOf(error);
      options.terminal.note(`${options.name}: ${message}`);
      return code;
    }
  };
}
