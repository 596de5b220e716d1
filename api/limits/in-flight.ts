import { createFairCapacity } from '#runtime/fair/fair-capacity.ts';
import { concurrencyLimitExceeded, serviceUnavailable } from '../errors/api-error.ts';

type LimitName = 'requests' | 'bodies' | 'creates' | 'history';

export interface InFlightDeps {
  /** The limited resource. */
  readonly name: LimitName;
  readonly max: number;
  readonly onRefused: (name: LimitName) => void;
}

export interface InFlight {
  /** Opens the share of a request in the part of its project, which is named by its namespace. */
  open(project: string): Disposable & {
    /** @throws ApiError concurrency_limit_exceeded, service_unavailable */
    take(amount: number): void;
    release(amount: number): void;
  };
}

/**
 * A limit that projects share fairly. Above it, requests are refused immediately instead of waiting in memory: with 429 if
 * their own project uses its part, and with 503 if others leave nothing. Both responses have Retry-After.
 */
export function createInFlight({ name, max, onRefused }: InFlightDeps): InFlight {
  const capacity = createFairCapacity(max);
  return {
    open: (project) => {
      const share = capacity.open(project);
      return {
        take: (amount) => {
          if (share.grow(amount)) return;
          onRefused(name);
          if (share.exceedsPart(amount)) throw concurrencyLimitExceeded();
          const usage = `${capacity.used()} of ${max} are in use`;
          throw serviceUnavailable(
            new Error(
              `the service is busy: limit of ${name} in flight reached for project ${project}, ${usage}`,
            ),
          );
        },
        release: (amount) => share.shrink(amount),
        [Symbol.dispose]: () => share[Symbol.dispose](),
      };
    },
  };
}
