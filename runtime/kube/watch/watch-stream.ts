import { toError } from '../../errors.ts';
import type { Clock } from '../../time/clock.ts';
import type { KubeClient } from '../client/client.ts';
import { isRecord } from '../client/decode.ts';
import { KubeError } from '../client/kube-error.ts';
import type { KubeRequest } from '../client/kube-request.ts';
import { statusError } from '../client/status-error.ts';

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  /** Not decoded. */
  readonly object: unknown;
}

export interface WatchOptions {
  readonly kube: KubeClient;
  readonly path: string;
  readonly query: KubeRequest['query'];
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Time without a byte after which the watch is closed. */
  readonly silenceLimitMs: number;
  /** Called when the server accepts the watch. */
  readonly onOpen?: (() => void) | undefined;
  readonly onBytes: () => void;
}

/** Far above the 1.5 MiB of the largest object. Limits the memory if a line never ends. */
const MAX_LINE_CHARS = 16 * 1024 * 1024;

/** Splits a stream of bytes into lines. Drops an unfinished last line, because its event is incomplete. */
async function* linesOf(
  body: AsyncIterable<Buffer>,
  onBytes: () => void,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    onBytes();
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_CHARS) throw new Error(`an event is longer than ${MAX_LINE_CHARS} characters`);
    yield* lines;
  }
}

const EVENT_TYPES: ReadonlySet<unknown> = new Set(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']);

function isEvent(value: unknown): value is WatchEvent {
  return isRecord(value) && EVENT_TYPES.has(value['type']);
}

function parseEvent(line: string, attempt: string): WatchEvent {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new KubeError('an event is not valid JSON', { attempt, code: 'InvalidResponse', cause: error });
  }
  if (isEvent(value)) return value;
  if (isRecord(value) && value['type'] === 'ERROR') {
    const status = value['object'];
    const code = isRecord(status) && typeof status['code'] === 'number' ? status['code'] : 500;
    throw statusError({ attempt, httpStatus: code, body: status });
  }
  throw new KubeError('an event has an unknown type', { attempt, code: 'InvalidResponse' });
}

/** Ends a body that is silent for too long. Each chunk only calls `seen`, so that a busy watch needs no timers. */
function watchSilence(options: WatchOptions, onSilence: () => void): Disposable & { seen(): void } {
  const { clock, silenceLimitMs } = options;
  let lastMs = clock.monotonicMs();
  let timer: Disposable | undefined;
  function check(): void {
    const leftMs = lastMs + silenceLimitMs - clock.monotonicMs();
    if (leftMs <= 0) onSilence();
    else timer = clock.after(leftMs, check);
  }
  check();
  return {
    seen: () => {
      lastMs = clock.monotonicMs();
    },
    [Symbol.dispose]: () => timer?.[Symbol.dispose](),
  };
}

/**
 * The events of one watch, until the server ends it. Leaving the loop early closes the connection.
 * Does not use the client library's Watch: it opens a dispatcher per watch, silently drops events that it cannot parse,
 * swallows errors of its callback, and hides the Status and the Retry-After of an error response.
 * @throws KubeError; Gone if the resourceVersion is too old, Timeout if the watch is silent for too long
 */
export async function* watchEvents(options: WatchOptions): AsyncGenerator<WatchEvent, void, undefined> {
  const { kube, path, query, signal, silenceLimitMs } = options;
  const attempt = `watch ${path}`;
  const body = await kube.stream({ method: 'GET', path, query: { ...query, watch: true }, signal });
  options.onOpen?.();
  const silent = new KubeError(`no data for ${silenceLimitMs} ms`, { attempt, code: 'Timeout' });
  using silence = watchSilence(options, () => body.destroy(silent));
  function onBytes(): void {
    silence.seen();
    options.onBytes();
  }
  // Response headers also count as activity.
  onBytes();
  try {
    for await (const line of linesOf(body, onBytes)) {
      if (line !== '') yield parseEvent(line, attempt);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof KubeError) throw error;
    throw new KubeError(`the connection was lost (${toError(error).message})`, {
      attempt,
      code: 'Unreachable',
      cause: error,
    });
  } finally {
    body.destroy();
  }
}
