import { setTimeout as delay } from 'node:timers/promises';
import { toError } from '#runtime/errors.ts';

/** Below the limit of an address, of a token and of a project. */
const INTERVAL_MS = 100;
const REQUEST_LIMIT_MS = 10_000;
/** A pod that has just started on a busy machine may ask its clients to repeat a request. */
const MOST_TRIES = 5;

export interface SteadyRequests {
  /** Statuses, or why there was no response, with their numbers. */
  stop(): Promise<ReadonlyMap<string, number>>;
}

/** Requests this URL again and again, with the repetitions that a 503 asks for, over a new connection each time, as clients behind a load balancer do. */
export function startSteadyRequests(url: string, token: string): SteadyRequests {
  const counts = new Map<string, number>();
  const stopped = new AbortController();
  async function ask(tries = 1): Promise<string> {
    const headers = { Authorization: `Bearer ${token}`, Connection: 'close' };
    try {
      const response = await fetch(url, { headers, signal: AbortSignal.timeout(REQUEST_LIMIT_MS) });
      await response.arrayBuffer();
      const retryAfter = Number(response.headers.get('retry-after') ?? 0);
      if (response.status !== 503 || retryAfter === 0 || tries === MOST_TRIES) return String(response.status);
      await delay(retryAfter * 1000);
      return await ask(tries + 1);
    } catch (error) {
      return String(toError(error).cause ?? error);
    }
  }
  async function run(): Promise<void> {
    while (!stopped.signal.aborted) {
      const outcome = await ask();
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      await delay(INTERVAL_MS);
    }
  }
  const running = run();
  return {
    stop: async () => {
      stopped.abort();
      await running;
      return counts;
    },
  };
}
