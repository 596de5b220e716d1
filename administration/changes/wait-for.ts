import { AppError } from '#runtime/errors.ts';
import { type Clock, pause } from '#runtime/time/clock.ts';
import { backoffMs } from '#runtime/time/retry.ts';
import { AdministrationError } from '../errors/administration-error.ts';

export interface WaitOptions {
  /** At most MAX_WAIT_MS; 0 asks once. */
  readonly limitMs: number;
  readonly signal?: AbortSignal;
  /** Receives each failure after which the wait continues. */
  readonly onFailure?: (failure: Error) => void;
}

export type WaitForOptions = WaitOptions & { readonly clock: Clock };

/** Polls with a signal that aborts at the time limit; undefined for no result yet. */
type Ask<T> = (signal: AbortSignal) => Promise<T | undefined>;

/** The longest time of a timer (24 days). */
export const MAX_WAIT_MS = 2 ** 31 - 1;

/** The controller responds within one or two seconds; this interval does not burden the API server. */
const INTERVAL_MS = 300;
const BACKOFF = { baseDelayMs: INTERVAL_MS, maxDelayMs: 5_000 } as const;
/** A longer Retry-After is cut to this: it says nothing about what happens in an hour. */
const MAX_RETRY_AFTER_MS = 60_000;
/** A request that is pending for this long when the time is over counts as a failure. */
const SILENCE_MS = 1_000;

interface Waited<T> {
  /** Undefined after the time limit. */
  readonly result: T | undefined;
  /** Of the last request. */
  readonly failure: AppError | undefined;
}

function delayAfter(failure: AppError | undefined, failures: number): number {
  return failure === undefined
    ? INTERVAL_MS
    : Math.max(
        INTERVAL_MS,
        Math.min(failure.retryAfterMs ?? backoffMs(BACKOFF, failures), MAX_RETRY_AFTER_MS),
      );
}

/** Undefined if the signal ended the request. */
async function askOnce<T>(
  { clock }: WaitForOptions,
  ask: Ask<T>,
  signal: AbortSignal,
): Promise<Waited<T> | undefined> {
  const askedMs = clock.monotonicMs();
  try {
    return { result: await ask(signal), failure: undefined };
  } catch (error) {
    if (error instanceof AppError && error.retryable) return { result: undefined, failure: error };
    if (!signal.aborted) throw error;
    if (clock.monotonicMs() - askedMs < SILENCE_MS) return undefined;
    const silence = new AdministrationError('The API server did not respond', { code: 'Unreachable' });
    return { result: undefined, failure: silence };
  }
}

async function poll<T>(
  options: WaitForOptions & { readonly signal: AbortSignal },
  limit: AbortSignal,
  ask: Ask<T>,
): Promise<Waited<T>> {
  const { clock, signal, onFailure } = options;
  const within = AbortSignal.any([signal, limit]);
  let last: Waited<T> = { result: undefined, failure: undefined };
  let failures = 0;
  // Without a time limit, there is one request, which is complete.
  for (let current = options.limitMs > 0 ? within : signal; !current.aborted; current = within) {
    last = (await askOnce(options, ask, current)) ?? last;
    const { result, failure } = last;
    if (result !== undefined) return last;
    failures = failure ? failures + 1 : 0;
    if (failure) onFailure?.(failure);
    await pause(clock, delayAfter(failure, failures), within);
  }
  signal.throwIfAborted();
  return last;
}

async function wait<T>(options: WaitForOptions, ask: Ask<T>): Promise<Waited<T>> {
  const { clock, limitMs, signal = new AbortController().signal } = options;
  if (!(limitMs <= MAX_WAIT_MS))
    throw new RangeError(`the time limit of a wait must be at most ${MAX_WAIT_MS} ms, not ${limitMs}`);
  const limit = new AbortController();
  using _timer = clock.after(limitMs, () => {
    limit.abort();
  });
  return await poll({ ...options, signal }, limit.signal, ask);
}

/**
 * Polls until there is a result, also after failures that a retry may mend. Undefined after the time limit.
 * @throws every other failure; the reason of the signal
 */
export async function waitFor<T>(options: WaitForOptions, ask: Ask<T>): Promise<T | undefined> {
  return (await wait(options, ask)).result;
}

/** The same. @throws AdministrationError TimedOut with this text, and with the last failure */
export async function waitOrTimeOut<T>(
  options: WaitForOptions,
  ask: Ask<T>,
  timedOut: () => string,
): Promise<T> {
  const { result, failure } = await wait(options, ask);
  if (result !== undefined) return result;
  const why = failure ? `. The last request failed: ${failure.message}` : '';
  throw new AdministrationError(`${timedOut()}${why}`, { code: 'TimedOut', cause: failure });
}
