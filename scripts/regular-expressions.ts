/**
 * Fails for each regular expression of the processes that takes more than linear time (N3): recheck searches for texts that could
 * take longer, and Node measures them.
 */
import recheck, { type AttackPattern } from 'recheck';
import { type RegularExpression, readRegularExpressions } from './find-regular-expressions.ts';

// Every machine gets the same result: the native program is not available on all of them.
process.env['RECHECK_BACKEND'] = 'pure';

/** Small enough for less than a minute in all. */
const LIMITS = {
  timeout: 300_000,
  attackLimit: 5_000_000,
  incubationLimit: 5000,
  maxAttackStringSize: 10_000,
  maxGenerationSize: 20,
  maxInitialGenerationSize: 100,
  maxIteration: 3,
  maxNFASize: 2000,
} as const;

/**
 * Linear time needs less than a fifth of it for the longest text, also with a bounded repetition at each character and on a busy
 * machine; quadratic time several times as much.
 */
const SLOW_MS = 500;
const LONGEST = 131_072;

/** Applies it as the code does: a global one to the whole text, another one until its first match. */
function apply(expression: RegExp, text: string): void {
  if (expression.global) text.replace(expression, '');
  else expression.test(text);
}

function textOf({ pumps, suffix }: AttackPattern, repetitions: number): string {
  return `${pumps.map(({ prefix, pump }) => prefix + pump.repeat(repetitions)).join('')}${suffix}`;
}

/**
 * Whether an attack takes long in Node. recheck takes a repetition with a bound for one without, and on a busy machine it takes any
 * expression for slow. The text grows in small steps, because exponential time would never end for the longest one.
 */
function isConfirmed(expression: RegExp, attack: AttackPattern): boolean {
  let text = '';
  for (let repetitions = 8; text.length < LONGEST; repetitions = Math.ceil(repetitions * 1.1)) {
    text = textOf(attack, repetitions);
    const before = process.threadCpuUsage();
    apply(expression, text);
    const { user, system } = process.threadCpuUsage(before);
    if ((user + system) / 1000 > SLOW_MS) return true;
  }
  return false;
}

/** Why an expression is slow; undefined if it is not. */
export async function findFault({
  path,
  line,
  source,
  flags,
}: RegularExpression): Promise<string | undefined> {
  const found = await recheck.check(source, flags, LIMITS);
  const place = `${path}:${line} /${source}/${flags}`;
  if (found.status === 'unknown') return `${place} cannot be checked: ${found.error.kind}`;
  if (found.status === 'safe' || !isConfirmed(new RegExp(source, flags), found.attack)) return undefined;
  return `${place} takes time of ${found.complexity.summary} for ${found.attack.pattern}`;
}

if (import.meta.main)
  for (const one of await readRegularExpressions()) {
    const fault = await findFault(one);
    if (fault === undefined) continue;
    console.error(fault);
    process.exitCode = 1;
  }
