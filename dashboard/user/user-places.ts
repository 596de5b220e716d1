import { createFairPlaces } from '#runtime/fair/fair-capacity.ts';
import { BusyError, type PageRequest, type Route } from '../http/page.ts';
import type { DashboardMetrics } from '../metrics.ts';

interface UserPlacesOptions {
  /** What takes a place, as in the metric. */
  readonly limit: 'exports' | 'searches' | 'lists';
  readonly places: number;
  /** Seconds after which a place is likely to be free. */
  readonly retryAfterSeconds: number;
  readonly metrics: Pick<DashboardMetrics, 'overloads'>;
}

/** Takes a place until the result is disposed. @throws BusyError */
export type TakePlace = (user: string) => Disposable;

/** Places that users share: one user gets at most half of them, rounded up. */
export function createUserPlaces({
  limit,
  places,
  retryAfterSeconds,
  metrics,
}: UserPlacesOptions): TakePlace {
  const capacity = createFairPlaces(places);
  return (user) => {
    const share = capacity.open(user);
    if (share.grow(1)) return share;
    metrics.overloads.inc({ limit });
    const text = `Other ${limit} are in progress. Try again in ${retryAfterSeconds} seconds.`;
    throw new BusyError(`Too many ${limit}`, text, retryAfterSeconds);
  };
}

/** The same route, which takes a place of the user until its response is ready. */
export function withPlace(take: TakePlace) {
  return (route: Route): Route => ({
    ...route,
    handle: async (request: PageRequest) => {
      using _place = take(request.user.name);
      return await route.handle(request);
    },
  });
}
