/** Searches the input for which a regular expression takes longest, among texts made of its own parts. */

/** What a regular expression is applied to: a prefix, a text that is repeated, and an end that does not match. */
export interface WorstInput {
  readonly prefix: string;
  readonly repeated: string;
  readonly end: string;
}

export function inputOf({ prefix, repeated, end }: WorstInput, length: number): string {
  return `${prefix}${repeated.repeat(Math.ceil(length / repeated.length))}${end}`;
}

/** Applies it as the code does: a global one to the whole text, another one until its first match. */
export function apply(expression: RegExp, text: string): void {
  if (expression.global) text.replace(expression, '');
  else expression.test(text);
}

/** The first length shows exponential time while it is still short. */
const SEARCH_LENGTHS = [24, 400];
const MAX_SEARCH_MS = 50;
const COMMON = ['a', 'A', '0', ' ', '-', '.', '/', '"', '\\', '=', ':'];
const ENDS = ['', '\n\0'];

/** Texts that a source contains literally. */
function partsOf(source: string): readonly string[] {
  const plain = source
    .replaceAll(/\\(?:[bdswDSW]|p\{[^}]*\}|x[0-9a-f]{2}|u[0-9a-f]{4})/g, '|')
    .replaceAll(/\\(.)/g, '$1')
    .replaceAll(/\[[^\]]*\]|\(\?(?:[:!=]|<[!=]|<\w+>)/g, '|');
  return [...new Set(plain.split(/[|()*+?^$]|\{[\d,]*\}/).filter((part) => part !== ''))];
}

/** Characters that a source contains, in classes too. */
function charactersOf(source: string): readonly string[] {
  return [...new Set([...COMMON, ...source.replaceAll(/[\\[\](){}^$*+?|]/g, '').split('')])];
}

function candidatesOf(source: string): readonly WorstInput[] {
  const parts = partsOf(source);
  const characters = charactersOf(source);
  const pairs = COMMON.flatMap((a) => COMMON.map((b) => a + b));
  const joined = parts.flatMap((part) => ['a', '-', '.', ' ', '"', '\\'].map((one) => part + one));
  const repeats = new Set([...characters, ...parts, ...joined, ...pairs]);
  const whole = parts.join('');
  const prefixes = new Set(['', ...parts, whole, `${whole}a`]);
  return [...repeats].flatMap((repeated) =>
    [...prefixes].flatMap((prefix) => ENDS.map((end) => ({ prefix, repeated, end }))),
  );
}

function timeOf(expression: RegExp, text: string): number {
  const started = performance.now();
  apply(expression, text);
  return performance.now() - started;
}

interface Timed {
  readonly input: WorstInput;
  readonly ms: number;
}

/** The slowest inputs of this length, slowest first. Stops at the first one that takes far too long. */
function slowest(expression: RegExp, candidates: readonly WorstInput[], length: number): readonly Timed[] {
  const timed: Timed[] = [];
  for (const input of candidates) {
    const text = inputOf(input, length);
    const ms = Math.min(timeOf(expression, text), timeOf(expression, text));
    if (ms > MAX_SEARCH_MS) return [{ input, ms }];
    timed.push({ input, ms });
  }
  return timed.toSorted((a, b) => b.ms - a.ms);
}

/** The slowest inputs, slowest first. @throws Error if short ones take very long already */
export function findWorstInputs(expression: RegExp, count: number): readonly WorstInput[] {
  const candidates = candidatesOf(expression.source);
  let found: readonly Timed[] = [];
  for (const length of SEARCH_LENGTHS) {
    found = slowest(expression, candidates, length);
    const [worst] = found;
    if (worst !== undefined && worst.ms > MAX_SEARCH_MS)
      throw new Error(
        `${String(expression)} takes ${worst.ms} ms for ${JSON.stringify(inputOf(worst.input, length))}`,
      );
  }
  return found.slice(0, count).map(({ input }) => input);
}
