import { type Dispatcher, request } from 'undici';
import { rfc3339 } from '#crds/conditions.ts';
import type { WebhookDelivery } from '#crds/zip-job.ts';
import { webhookHost } from '#crds/zip-project.ts';
import { defined } from '#runtime/collections/optional.ts';
import type { EgressPolicy } from '#runtime/egress/egress-policy.ts';
import { judgeUrl } from '#runtime/egress/judge-url.ts';
import { errorCode } from '#runtime/errors.ts';
import { retryAfterMs } from '#runtime/http/retry-after.ts';
import type { Clock } from '#runtime/time/clock.ts';
import type { DeliveryResponse } from './dispatcher.ts';
import { signatureHeader } from './signature.ts';

/** Maximum bytes of a response that are read. */
const MAX_RESPONSE_BYTES = 64 * 1024;
/** As in the ZipProject; a Secret could contain more. */
const MAX_URL = 2_048;

export interface DeliverOptions {
  readonly agent: Dispatcher;
  readonly policy: EgressPolicy;
  readonly timeoutMs: number;
  readonly allowHttp: boolean;
  readonly clock: Clock;
}

export interface Delivery {
  /** Undefined if neither the job nor the Secret contains it. */
  readonly url: string | undefined;
  readonly id: string;
  readonly body: string;
  readonly keys: readonly Buffer[];
  readonly traceparent?: string;
}

export type Deliver = (delivery: Delivery, signal?: AbortSignal) => Promise<DeliveryResponse>;

async function drain(body: Dispatcher.ResponseData['body']): Promise<void> {
  let seen = 0;
  for await (const chunk of body) {
    seen += Buffer.isBuffer(chunk) ? chunk.length : 0;
    // Leaving the loop destroys the body and with it the connection.
    if (seen > MAX_RESPONSE_BYTES) break;
  }
}

function headersOf(delivery: Delivery, now: Date): Record<string, string> {
  const timestamp = Math.floor(now.getTime() / 1000);
  const { id, body } = delivery;
  return {
    'content-type': 'application/json',
    'user-agent': 'zipjobs-webhook/1',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatureHeader({ id, timestamp, body }, delivery.keys),
    ...defined({ traceparent: delivery.traceparent }),
  };
}

const LOST = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_ABORTED']);
const PROXY: ReadonlyMap<string, string> = new Map([
  ['ProxyAuthenticationRequired', 'proxy-authentication-required'],
  ['ProxyForbidden', 'proxy-forbidden'],
  ['ProxyUnavailable', 'proxy-unavailable'],
]);
const TLS = /CERT|TLS|SSL|SIGNATURE/;
const UNREACHABLE = 'unreachable';

/** Maps errors to a few classes: if a denied address differed from a closed port, a tenant could map the internal network. */
function classOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout';
  const code = errorCode(error) ?? '';
  if (LOST.has(code)) return 'connection-lost';
  const byProxy = PROXY.get(code);
  if (byProxy !== undefined) return byProxy;
  return TLS.test(code) ? 'tls' : UNREACHABLE;
}

interface Responded {
  readonly status: number;
  readonly retryAfter: string | string[] | undefined;
}

type Judged = (Delivery & { readonly url: string }) | { readonly refusal: string };

async function send(
  options: DeliverOptions,
  delivery: Exclude<Judged, { readonly refusal: string }>,
  signal: AbortSignal,
): Promise<Responded> {
  const response = await request(delivery.url, {
    dispatcher: options.agent,
    method: 'POST',
    headers: headersOf(delivery, options.clock.date()),
    body: delivery.body,
    signal,
    // The signal is the time limit; undici's own of 5 minutes would end a longer one as another error.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const status = response.statusCode;
  const retryAfter = response.headers['retry-after'];
  // The status is the result, even if the receiver aborts the body.
  await drain(response.body).catch(() => undefined);
  return { status, retryAfter };
}

function judge(options: DeliverOptions, delivery: Delivery): Judged {
  const { keys, url } = delivery;
  if (keys.length === 0) return { refusal: 'no-signing-secret' };
  if (url === undefined) return { refusal: 'no-url' };
  const judged = url.length > MAX_URL ? undefined : judgeUrl(url, options.policy);
  if (judged?.ok !== true) return { refusal: judged?.kind === 'refused' ? UNREACHABLE : 'url-invalid' };
  const isAllowed = judged.url.protocol === 'https:' || options.allowHttp;
  return isAllowed ? { ...delivery, url } : { refusal: 'url-not-https' };
}

/**
 * Sends a webhook once and returns the result; never throws. Signs at the time of sending, because receivers reject old
 * timestamps. Does not follow redirects: they would send the signed body to an address that nobody configured.
 */
export function createDeliver(options: DeliverOptions): Deliver {
  return async (delivery, signal) => {
    const { clock } = options;
    const at = rfc3339(clock.date());
    const started = clock.monotonicMs();
    function log(how: Pick<WebhookDelivery, 'status' | 'error'>): WebhookDelivery {
      return {
        at,
        durationMs: Math.round(clock.monotonicMs() - started),
        // Of every outcome, also if nothing was sent: otherwise a denied address would differ from a closed port.
        bytes: Buffer.byteLength(delivery.body),
        ...how,
      };
    }
    const judged = judge(options, delivery);
    // Whatever the outcome is: it must not show whether an address was denied.
    const named = defined({ host: webhookHost(delivery.url) });
    if ('refusal' in judged) return { delivery: log({ error: judged.refusal }), ...named };
    try {
      const limit = AbortSignal.timeout(options.timeoutMs);
      const both = signal ? AbortSignal.any([limit, signal]) : limit;
      const { status, retryAfter } = await send(options, judged, both);
      const waitMs = retryAfterMs(retryAfter, clock.date());
      return { delivery: log({ status }), ...named, ...defined({ retryAfterMs: waitMs }) };
    } catch (error) {
      return { delivery: log({ error: classOf(error) }), ...named };
    }
  };
}
