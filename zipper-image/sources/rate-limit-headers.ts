import { retryAfterMs } from '#runtime/http/retry-after.ts';
import { elementsOf } from './header-list.ts';
import type { HeaderValue } from './http-get.ts';

type Headers = Readonly<Record<string, HeaderValue>>;

const PREFIXES = ['ratelimit', 'x-ratelimit', 'x-rate-limit'] as const;

const NUMBER = /^\d{1,15}(?:\.\d{1,9})?$/;
/** RFC 3339, with its time zone. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
/** A number from here on is Unix time: as a duration it would be more than 30 years. */
const LEAST_EPOCH_SECONDS = 1e9;
const LEAST_EPOCH_MS = 1e11;

function numberOf(text: string): number | undefined {
  return NUMBER.test(text) ? Number(text) : undefined;
}

/** Seconds, Unix time in seconds or milliseconds, or a timestamp: servers send all of them under the same name. */
function untilReset(text: string, now: Date): number | undefined {
  const timestamp = TIMESTAMP.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(timestamp)) return Math.max(0, timestamp - now.getTime());
  const number = numberOf(text);
  if (number === undefined) return undefined;
  if (number >= LEAST_EPOCH_MS) return Math.max(0, number - now.getTime());
  if (number >= LEAST_EPOCH_SECONDS) return Math.max(0, number * 1000 - now.getTime());
  return number * 1000;
}

/** The shortest: which of several limits was exceeded is unknown, and the next response says whether it was this one. */
function shortest(waits: readonly (number | undefined)[]): number | undefined {
  const known = waits.filter((wait) => wait !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

function fromNames(
  headers: Headers,
  names: readonly string[],
  read: (text: string) => number | undefined,
): number | undefined {
  return shortest(names.flatMap((name) => elementsOf(headers[name]).map(read)));
}

interface Policy {
  readonly remaining: number | undefined;
  readonly reset: string | undefined;
}

const QUOTED = /"[^"]*"/g;
const REMAINING = /(?:^|[;,\s])(?:remaining|r)=(\d{1,15})/;
const RESET = /(?:^|[;,\s])(?:reset|t)=([\d.]{1,25})/;

/**
 * The IETF field `RateLimit`: one policy as `limit=100, remaining=0, reset=30` in drafts up to 07, a list of policies such as
 * `"default";r=0;t=30` since.
 */
function policiesOf(value: HeaderValue): readonly Policy[] {
  const texts = typeof value === 'string' ? [value] : (value ?? []);
  return texts.flatMap((text) => {
    const bare = text.replaceAll(QUOTED, '');
    const items = /(?:^|[\s,])limit=/.test(bare) ? [bare] : bare.split(',');
    return items.map((item) => {
      const remaining = REMAINING.exec(item)?.[1];
      return {
        remaining: remaining === undefined ? undefined : Number(remaining),
        reset: RESET.exec(item)?.[1],
      };
    });
  });
}

/** Requests that are left until the reset; undefined if the response does not say so. */
function remainingOf(headers: Headers): number | undefined {
  return shortest([
    fromNames(
      headers,
      PREFIXES.map((prefix) => `${prefix}-remaining`),
      numberOf,
    ),
    ...policiesOf(headers['ratelimit']).map(({ remaining }) => remaining),
  ]);
}

function ofPolicies(headers: Headers, now: Date): number | undefined {
  const policies = policiesOf(headers['ratelimit']);
  const usedUp = policies.filter(({ remaining }) => remaining === 0);
  return shortest(
    (usedUp.length > 0 ? usedUp : policies).map(({ reset }) =>
      reset === undefined ? undefined : untilReset(reset, now),
    ),
  );
}

/** The time until the reset. It does not count if requests are left: then another limit was exceeded. */
function resetMs(headers: Headers, now: Date): number | undefined {
  const remaining = remainingOf(headers);
  if (remaining !== undefined && remaining > 0) return undefined;
  return (
    fromNames(
      headers,
      PREFIXES.map((prefix) => `${prefix}-reset`),
      (text) => untilReset(text, now),
    ) ?? ofPolicies(headers, now)
  );
}

function seconds(text: string): number | undefined {
  const number = numberOf(text);
  return number === undefined ? undefined : number * 1000;
}

/** True if the origin says that no request is left until the reset of its limit. */
export function isQuotaUsedUp(headers: Headers): boolean {
  return remainingOf(headers) === 0;
}

/**
 * The wait in milliseconds that a response which throttles requests, whatever header it uses; undefined if it has none. It has
 * no upper limit, so the caller must set one.
 */
export function requestedWaitMs(headers: Headers, now: Date): number | undefined {
  return (
    retryAfterMs(headers['retry-after'], now) ??
    fromNames(headers, ['retry-after-ms', 'x-ms-retry-after-ms'], numberOf) ??
    fromNames(
      headers,
      PREFIXES.map((prefix) => `${prefix}-reset-after`),
      seconds,
    ) ??
    resetMs(headers, now)
  );
}
