/** Colors and symbols on a terminal. Elsewhere the texts are the same without them. */

const COLORS = { green: 32, red: 31, yellow: 33, blue: 34, grey: 90 } as const;

/** A text with a color that does not count as a part of its width. */
export interface Decorated {
  readonly text: string;
  readonly color: keyof typeof COLORS;
}

/** The text with the codes that color it; its control characters were removed before. */
export function paint(text: string, color: keyof typeof COLORS): string {
  return `\u001B[${COLORS[color]}m${text}\u001B[39m`;
}

type Look = readonly [symbol: string, color: keyof typeof COLORS];

const WAITING: Look = ['○', 'grey'];
const ACTIVE: Look = ['●', 'blue'];
const GOOD: Look = ['✓', 'green'];
const BAD: Look = ['✗', 'red'];

const LOOKS: Readonly<Record<string, Look>> = {
  Queued: WAITING,
  Starting: WAITING,
  Running: ACTIVE,
  Finalizing: ACTIVE,
  Succeeded: GOOD,
  Failed: BAD,
  Cancelled: ['-', 'grey'],
};

/** The phase of a job. `more` follows it. */
export function phaseMark(
  phase: string | null,
  { isDecorated, more = '' }: { readonly isDecorated: boolean; readonly more?: string },
): string | Decorated | null {
  if (phase === null) return null;
  const [symbol, color] = LOOKS[phase] ?? WAITING;
  return isDecorated ? { text: `${symbol} ${phase}${more}`, color } : `${phase}${more}`;
}

/** Whether something works. */
export function resultMark(text: string, isOk: boolean, isDecorated: boolean): string | Decorated {
  const [symbol, color] = isOk ? GOOD : BAD;
  return isDecorated ? { text: `${symbol} ${text}`, color } : text;
}

const LEVEL_COLORS: Readonly<Record<string, keyof typeof COLORS>> = {
  warn: 'yellow',
  error: 'red',
  fatal: 'red',
};

/** A level of a log, such as `WARN`. */
export function levelMark(level: string, isDecorated: boolean): string {
  const text = level.toUpperCase().padEnd(5);
  return isDecorated ? paint(text, LEVEL_COLORS[level] ?? 'grey') : text;
}
