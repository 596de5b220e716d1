import { NAME } from './program-name.ts';
import { didYouMean } from './suggest.ts';
import { UsageError } from './usage-error.ts';

/** What the parser knows about the commands, without running one. */
export interface Grammar {
  /** The words that may follow these words. */
  readonly next: (words: readonly string[]) => Promise<readonly string[]>;
  readonly help: (words: readonly string[]) => Promise<string>;
}

function isOption(word: string): boolean {
  return word.startsWith('-');
}

async function commandsAfter(words: readonly string[], grammar: Grammar): Promise<readonly string[]> {
  return (await grammar.next([...words, ''])).filter((word) => !isOption(word));
}

async function optionsOf(words: readonly string[], grammar: Grammar): Promise<readonly string[]> {
  // A single letter is listed with two dashes in some shells.
  return (await grammar.next([...words, '--'])).map((word) => word.replace(/^--(?=.$)/, '-'));
}

/** The command that the arguments contain, as far as it exists: `job`, `get`. A word after an option may be its value. */
export async function commandIn(args: readonly string[], grammar: Grammar): Promise<readonly string[]> {
  let path: readonly string[] = [];
  let known = await commandsAfter(path, grammar);
  for (const [index, word] of args.entries()) {
    if (known.includes(word)) {
      path = [...path, word];
      known = await commandsAfter(path, grammar);
    } else if (!isOption(word) && !isOption(args[index - 1] ?? '')) return path;
  }
  return path;
}

function seeHelp(path: readonly string[]): string {
  return `See: ${[NAME, ...path, '--help'].join(' ')}`;
}

/** `"jobs"`, `"--phaze"`: as the user has typed it. */
function typed(name: string, args: readonly string[]): string {
  const options = [`--${name}`, `-${name}`];
  return args.map((arg) => arg.split('=', 1)[0] ?? '').find((arg) => options.includes(arg)) ?? name;
}

async function unknownWord(word: string, path: readonly string[], grammar: Grammar): Promise<string> {
  if (isOption(word)) return `Unknown option ${word}${didYouMean(word, await optionsOf(path, grammar))}`;
  const commands = await commandsAfter(path, grammar);
  if (commands.length === 0) return `Unexpected argument "${word}"`;
  const hint = didYouMean(word, commands);
  return `Unknown command "${word}"${hint === '' ? `. Commands: ${commands.join(', ')}` : hint}`;
}

/** The words of `<job>` in the first line of the help that have no argument. */
async function missing(given: number, path: readonly string[], grammar: Grammar): Promise<string> {
  const [usage = ''] = (await grammar.help(path)).split('\n', 1);
  const names = usage.match(/<[^<>]+>/g) ?? [];
  return `Missing ${names.slice(given).join(' ')}`;
}

function optionName(key: string): string {
  return `${key.length === 1 ? '-' : '--'}${key}`;
}

/** The messages of yargs, which name no argument, and ours. */
const PATTERNS: readonly (readonly [
  pattern: RegExp,
  explain: (match: RegExpExecArray, more: More) => string | Promise<string>,
])[] = [
  [
    /^Unknown arguments?: (.+)$/s,
    ([, words = ''], { args, path, grammar }) => {
      const [first = ''] = words.split(', ').map((word) => typed(word, args));
      return unknownWord(first, path, grammar);
    },
  ],
  [
    /^Not enough non-option arguments: got (\d+)/,
    ([, given], { path, grammar }) => missing(Number(given), path, grammar),
  ],
  [/^Not enough arguments following: (.+)$/, ([, key = '']) => `Option ${optionName(key)} needs a value`],
  [
    /^Missing required arguments?: (.+)$/,
    ([, keys = '']) => `Missing ${keys.split(', ').map(optionName).join(' and ')}`,
  ],
  [
    /^Invalid values:\s+Argument: (\S+), Given: (.*), Choices: (.*)$/m,
    ([, key = '', given, choices]) => `Invalid ${optionName(key)} ${given}. Choices: ${choices}`,
  ],
];

interface More {
  readonly args: readonly string[];
  readonly path: readonly string[];
  readonly grammar: Grammar;
}

/** An error that names the argument, suggests what was meant, and says where the help is. */
export async function explainUsage(
  message: string,
  args: readonly string[],
  grammar: Grammar,
): Promise<UsageError> {
  const path = await commandIn(args, grammar);
  for (const [pattern, explain] of PATTERNS) {
    const match = pattern.exec(message);
    if (match) return new UsageError(joined(await explain(match, { args, path, grammar }), seeHelp(path)));
  }
  return new UsageError(joined(message, seeHelp(path)));
}

function joined(text: string, help: string): string {
  return /[.?]$/.test(text) ? `${text} ${help}` : `${text}. ${help}`;
}

/** For arguments without a command: the error, or undefined if nothing in them is wrong. */
export async function wrongWord(args: readonly string[], grammar: Grammar): Promise<UsageError | undefined> {
  const path = await commandIn(args, grammar);
  const options = await optionsOf(path, grammar);
  const word = args.find((arg) => isOption(arg) && !options.includes(arg.split('=', 1)[0] ?? ''));
  return word === undefined
    ? undefined
    : new UsageError(joined(await unknownWord(word.split('=', 1)[0] ?? '', path, grammar), seeHelp(path)));
}
