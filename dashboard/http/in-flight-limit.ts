import { createFairCapacity, type Share } from '#runtime/fair/fair-capacity.ts';
import type { ReadForwarded } from '#runtime/http/client-address.ts';
import { clientNetwork } from '#runtime/http/client-network.ts';
import type { DashboardContext, DashboardMiddleware } from './context.ts';
import { PageError } from './page.ts';

export interface InFlightDeps {
  /** The limited resource. */
  readonly name: 'requests' | 'forms';
  readonly max: number;
  readonly readForwarded: ReadForwarded;
  readonly onRefused: (name: InFlightDeps['name']) => void;
}

const RETRY_AFTER_SECONDS = 2;

/** A limit that client addresses share fairly: sessions are read later, and anonymous requests count too. */
export interface InFlight {
  open(ctx: DashboardContext): Share;
  /** The error for a request that exceeds the limit. */
  refuse(ctx: DashboardContext): PageError;
}

export function createInFlight({ name, max, readForwarded, onRefused }: InFlightDeps): InFlight {
  const capacity = createFairCapacity(max);
  return {
    open: (ctx) => capacity.open(clientNetwork(readForwarded(ctx.req).address)),
    refuse: (ctx) => {
      onRefused(name);
      ctx.set('Retry-After', String(RETRY_AFTER_SECONDS));
      return new PageError(
        503,
        'The dashboard is busy',
        'Too many requests at the same time. Try again in a moment.',
      );
    },
  };
}

/** Counts each request as one until its response. */
export function createInFlightLimit(inFlight: InFlight): DashboardMiddleware {
  return async (ctx, next) => {
    using share = inFlight.open(ctx);
    if (!share.grow(1)) throw inFlight.refuse(ctx);
    await next();
  };
}
