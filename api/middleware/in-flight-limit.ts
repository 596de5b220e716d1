import { serviceUnavailable } from '../api-error.ts';
import type { ApiContext, ApiMiddleware } from '../context.ts';

export interface InFlightLimitDeps {
  /** Of what there is so much at most. */
  readonly name: 'bodies' | 'creates';
  readonly max: number;
  /** What a request takes up of it. */
  readonly weigh: (ctx: ApiContext) => number;
  readonly onRefused: (name: InFlightLimitDeps['name']) => void;
}

/**
 * Answers 503 at once where requests would pile up in memory: clients that wait outside can be told when to come back.
 * One request alone always passes.
 */
export const createInFlightLimit = ({ name, max, weigh, onRefused }: InFlightLimitDeps): ApiMiddleware => {
  let inFlight = 0;
  return async (ctx, next): Promise<void> => {
    const weight = weigh(ctx);
    if (inFlight > 0 && inFlight + weight > max) {
      onRefused(name);
      throw serviceUnavailable(new Error(`as many ${name} are in hand as may be: ${inFlight} of ${max}`));
    }
    inFlight += weight;
    try {
      await next();
    } finally {
      inFlight -= weight;
    }
  };
};

/** Bytes that the body may take: what the client declares, or all that it may send. */
export const declaredBytes =
  (maxBytes: number) =>
  (ctx: ApiContext): number => {
    const declared = Number(ctx.get('Content-Length') || Number.NaN);
    return Number.isSafeInteger(declared) && declared >= 0 ? Math.min(declared, maxBytes) : maxBytes;
  };
