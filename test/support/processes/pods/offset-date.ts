/**
 * Loaded before a program by `--import`, in tests only: what the program takes for the time of day is ahead of the real one
 * by so many milliseconds as the file of its pod says, or else the file `all`. Both are read at every look at the clock, so
 * a change is a jump. Monotonic time, and with it every timer, goes on as it was: that is what a clock jump is.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const dir = process.env['TEST_CLOCK_DIR'];
const RealDate = Date;

const millisecondsIn = (name: string): number | undefined => {
  try {
    return Number(readFileSync(join(dir ?? '', name), 'utf8'));
  } catch {
    return undefined;
  }
};

const aheadOfAllMs = (): number => millisecondsIn('all') ?? 0;

const now = (): number =>
  RealDate.now() + (millisecondsIn(process.env['POD_NAME'] ?? 'all') ?? aheadOfAllMs());

/** Time that passes for all passes for servers too: what their headers say is later by as much. */
const parse = (text: string): number => RealDate.parse(text) + (text.endsWith(' GMT') ? aheadOfAllMs() : 0);

const REPLACED: Readonly<Record<PropertyKey, unknown>> = { now, parse };

if (dir !== undefined)
  globalThis.Date = new Proxy(RealDate, {
    apply: () => new RealDate(now()).toString(),
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    get: (target, name, receiver) => REPLACED[name] ?? Reflect.get(target, name, receiver),
  });
