import { serviceUnavailable } from '../api-error.ts';
import type { ApiContext, ApiMiddleware } from '../context.ts';

export interface InFlightLimitDeps {
  /** The limited resource. */
  readonly name: 'bodies' | 'creates';
  readonly max: number;
  /** The share of a request. */
  readonly weigh: (ctx: ApiContext) => number;
  readonly onRefused: (name: InFlightLimitDeps['name']) => void;
}

/** Maximum share of one project: a tenant that sends slowly, or a lot, leaves capacity for the others. */
const PROJECT_SHARE = 0.5;

/** Tracks the used capacity, in total or of one project. A single request always fits. */
const createRoom = (max: number) => {
  let taken = 0;
  return {
    fits: (weight: number): boolean => taken === 0 || taken + weight <= max,
    take: (weight: number): void => {
      taken += weight;
    },
    isEmpty: (): boolean => taken === 0,
  };
};

type Room = ReturnType<typeof createRoom>;

/**
 * Responds with 503 immediately instead of queueing requests in memory, and tells clients when to retry.
 * Must run after the authentication.
 */
export const createInFlightLimit = ({ name, max, weigh, onRefused }: InFlightLimitDeps): ApiMiddleware => {
  const all = createRoom(max);
  const projects = new Map<string, Room>();
  return async (ctx, next): Promise<void> => {
    const weight = weigh(ctx);
    const project = ctx.state.principal?.namespace ?? '';
    const own = projects.get(project) ?? createRoom(max * PROJECT_SHARE);
    if (!own.fits(weight) || !all.fits(weight)) {
      onRefused(name);
      const whose = own.fits(weight) ? 'all projects' : `project ${project}`;
      throw serviceUnavailable(
        new Error(`the service is busy: limit of ${name} in flight reached for ${whose}`),
      );
    }
    projects.set(project, own);
    for (const room of [own, all]) room.take(weight);
    try {
      await next();
    } finally {
      for (const room of [own, all]) room.take(-weight);
      if (own.isEmpty()) projects.delete(project);
    }
  };
};

/** The declared size of the body, or the maximum if none is declared. */
export const declaredBytes =
  (maxBytes: number) =>
  (ctx: ApiContext): number => {
    const declared = Number(ctx.get('Content-Length') || Number.NaN);
    return Number.isSafeInteger(declared) && declared >= 0 ? Math.min(declared, maxBytes) : maxBytes;
  };
