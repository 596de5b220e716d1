import { type ApiError, rateLimitExceeded } from '../errors/api-error.ts';
import { MAX_DELAY_MS } from './request-pace.ts';

/** How long a request waits because of a limit per second. */
export interface Delay {
  readonly limit: 'second' | 'creates' | 'files';
  readonly ms: number;
}

const WHOSE: Readonly<Record<Delay['limit'], string>> = {
  second: 'requests per second',
  creates: 'creates of this project per second',
  files: 'files in creates of this project per second',
};

/** The refusal of a request that would wait too long; undefined if it may wait. */
export function refusalOf({ limit, ms }: Delay): ApiError | undefined {
  return ms > MAX_DELAY_MS ? rateLimitExceeded(WHOSE[limit], Math.floor(ms / 1_000)) : undefined;
}
