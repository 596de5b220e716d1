/**
 * Loaded before a program by `--import`, in tests only: shifts the time of day of the program by the
 * milliseconds in the file of its pod, or else in the file `all`. Both are read at every use of the clock, so
 * a change is a clock jump. Monotonic time, and with it every timer, is not affected, like in a real clock
 * jump.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const dir = process.env['TEST_CLOCK_DIR'];
const RealDate = Date;

function millisecondsIn(name: string): number | undefined {
  try {
    return Number(readFileSync(join(dir ?? '', name), 'utf8'));
  } catch {
    return undefined;
  }
}

function aheadOfAllMs(): number {
  return millisecondsIn('all') ?? 0;
}

function now(): number {
  return RealDate.now() + (millisecondsIn(process.env['POD_NAME'] ?? 'all') ?? aheadOfAllMs());
}

/** A shift for all pods also applies to servers: their Date headers are shifted too. */
function parse(text: string): number {
  return RealDate.parse(text) + (text.endsWith(' GMT') ? aheadOfAllMs() : 0);
}

const REPLACED: Readonly<Record<PropertyKey, unknown>> = { now, parse };

if (dir !== undefined)
  globalThis.Date = new Proxy(RealDate, {
    apply: () => new RealDate(now()).toString(),
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    get: (target, name, receiver) => REPLACED[name] ?? Reflect.get(target, name, receiver),
  });
