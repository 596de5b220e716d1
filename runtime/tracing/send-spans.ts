import type { Dispatcher } from 'undici';
import { AppError } from '../errors.ts';
import { readStart } from '../http/read-start.ts';
import { retryAfterMs } from '../http/retry-after.ts';
import { request } from '../http/undici.ts';
import { isRecord } from '../kube/client/decode.ts';

/** Bytes of a response that are read. */
const MAX_RESPONSE_BYTES = 64 * 1024;
/** The statuses that OTLP/HTTP allows to repeat; any other would fail again. */
const RETRYABLE = new Set([429, 502, 503, 504]);

export interface SendSpansOptions {
  /** Base URL of the collector. */
  readonly endpoint: string;
  readonly dispatcher: Dispatcher;
  /** Read for each request. @throws ConfigError */
  readonly headers: () => Readonly<Record<string, string>>;
  readonly userAgent: string;
  readonly timeoutMs: number;
}

/** Sends the JSON of an export request once. Resolves to the number of spans that the collector rejected. @throws AppError */
export type SendSpans = (body: string, signal: AbortSignal) => Promise<number>;

/** The count in a partial success. A 64-bit integer is text in the JSON of Protocol Buffers, but may be a number. */
function rejectedIn(text: string): number {
  try {
    const response: unknown = JSON.parse(text);
    const partial = isRecord(response) ? response['partialSuccess'] : undefined;
    const count = Number(isRecord(partial) ? partial['rejectedSpans'] : 0);
    return Number.isSafeInteger(count) && count > 0 ? count : 0;
  } catch {
    // Also an empty body, which some collectors send.
    return 0;
  }
}

function urlOf(endpoint: string): string {
  return `${endpoint}${endpoint.endsWith('/') ? '' : '/'}v1/traces`;
}

export function createSendSpans({
  endpoint,
  dispatcher,
  headers,
  userAgent,
  timeoutMs,
}: SendSpansOptions): SendSpans {
  const url = urlOf(endpoint);
  return async (body, signal) => {
    const response = await request(url, {
      dispatcher,
      method: 'POST',
      headers: { ...headers(), 'content-type': 'application/json', 'user-agent': userAgent },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    const text = await readStart(response.body, MAX_RESPONSE_BYTES);
    const { statusCode } = response;
    if (statusCode === 200) return rejectedIn(text);
    const waitMs = retryAfterMs(response.headers['retry-after'], new Date());
    throw new AppError(`the collector responded with status ${statusCode}`, {
      code: 'TracesRefused',
      retryable: RETRYABLE.has(statusCode),
      ...(waitMs !== undefined && { retryAfterMs: waitMs }),
    });
  };
}
