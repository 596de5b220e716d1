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

/** What one project may take up: a tenant that sends slowly, or very much, leaves room for the others. */
const PROJECT_SHARE = 0.5;

/** What is taken up at a time, in all or of one project. One request alone always fits. */
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
 * Answers 503 at once where requests would pile up in memory: clients that wait outside can be told when to come back.
 * Stands behind the authentication.
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
      const whose = own.fits(weight) ? 'all projects' : `the project ${project}`;
      throw serviceUnavailable(new Error(`as many ${name} of ${whose} are in hand as may be`));
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

/** Bytes that the body may take: what the client declares, or all that it may send. */
export const declaredBytes =
  (maxBytes: number) =>
  (ctx: ApiContext): number => {
    const declared = Number(ctx.get('Content-Length') || Number.NaN);
    return Number.isSafeInteger(declared) && declared >= 0 ? Math.min(declared, maxBytes) : maxBytes;
  };
