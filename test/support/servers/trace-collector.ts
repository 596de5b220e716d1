import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { until } from '../until.ts';
import { PRIVATE_TLS } from './private-tls.ts';

export interface ReceivedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: number;
  /** Nanoseconds since 1970. */
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly isError: boolean;
}

type Json = Readonly<Record<string, unknown>>;
type Reader<T> = (value: unknown) => T;

/*
 * A strict reader of opentelemetry/proto/collector/trace/v1/trace_service.proto in its JSON form: names in lowerCamelCase, IDs as
 * hexadecimal digits, 64-bit integers as text, enums as numbers. It refuses fields that the messages do not have.
 */
function message(value: unknown, fields: readonly string[]): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('not a message');
  const unknown = Object.keys(value).filter((name) => !fields.includes(name));
  if (unknown.length > 0) throw new Error(`unknown fields: ${unknown.join(', ')}`);
  return value as Json;
}

function listOf<T>(value: unknown, read: Reader<T>): readonly T[] {
  if (!Array.isArray(value)) throw new Error('not a list');
  return value.map((one) => read(one));
}

function matching(value: unknown, pattern: RegExp): string {
  if (typeof value === 'string' && pattern.test(value)) return value;
  throw new Error(`${JSON.stringify(value)} does not match ${pattern.source}`);
}

function readAttribute(value: unknown): readonly [string, string | number] {
  const { key, value: any } = message(value, ['key', 'value']);
  const { stringValue, intValue, doubleValue } = message(any, ['stringValue', 'intValue', 'doubleValue']);
  const name = matching(key, /^[a-z][a-z0-9_.]*$/);
  if (stringValue !== undefined) return [name, matching(stringValue, /^/)];
  if (intValue !== undefined) return [name, Number(matching(intValue, /^-?\d+$/))];
  if (typeof doubleValue === 'number') return [name, doubleValue];
  throw new Error(`${name} has no value`);
}

function readAttributes(value: unknown): Readonly<Record<string, string | number>> {
  return Object.fromEntries(listOf(value, readAttribute));
}

const SPAN_FIELDS = [
  'traceId',
  'spanId',
  'parentSpanId',
  'name',
  'kind',
  'startTimeUnixNano',
  'endTimeUnixNano',
  'attributes',
  'status',
];

function readSpan(service: string, value: unknown): ReceivedSpan {
  const span = message(value, SPAN_FIELDS);
  const { code = 0 } = message(span['status'] ?? {}, ['code', 'message']);
  const parent = span['parentSpanId'];
  if (typeof span['kind'] !== 'number' || span['kind'] < 1 || span['kind'] > 5) throw new Error('no kind');
  return {
    service,
    traceId: matching(span['traceId'], /^(?!0{32})[0-9a-f]{32}$/),
    spanId: matching(span['spanId'], /^(?!0{16})[0-9a-f]{16}$/),
    parentSpanId: parent === undefined ? undefined : matching(parent, /^(?!0{16})[0-9a-f]{16}$/),
    name: matching(span['name'], /./),
    kind: span['kind'],
    start: BigInt(matching(span['startTimeUnixNano'], /^\d+$/)),
    end: BigInt(matching(span['endTimeUnixNano'], /^\d+$/)),
    attributes: readAttributes(span['attributes']),
    isError: code === 2,
  };
}

/** The spans of an export request. @throws Error unless it is valid */
export function readExport(body: string): readonly ReceivedSpan[] {
  const { resourceSpans } = message(JSON.parse(body), ['resourceSpans']);
  return listOf(resourceSpans, (one) => {
    const { resource, scopeSpans } = message(one, ['resource', 'scopeSpans']);
    const { 'service.name': service } = readAttributes(message(resource, ['attributes'])['attributes']);
    return listOf(scopeSpans, (ofScope) => {
      const { scope, spans } = message(ofScope, ['scope', 'spans']);
      message(scope, ['name', 'version']);
      return listOf(spans, (span) => readSpan(String(service), span));
    }).flat();
  }).flat();
}

/** What the collector does with a request: a response, or none. */
export type Behaviour =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  | 'never';

export interface TraceCollector extends AsyncDisposable {
  /** Base URL, as in TRACING_ENDPOINT. */
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** The bodies that were accepted, as they arrived. */
  readonly bodies: readonly string[];
  readonly requests: readonly { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  /** Called for each request. Default: 200. */
  behave: () => Behaviour;
  /** Waits until the spans of this trace contain one with each of these names. */
  trace(traceId: string, ...names: readonly string[]): Promise<readonly ReceivedSpan[]>;
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** An OTLP/HTTP collector that keeps what it receives. `isSecure`: with a certificate of the private authority. */
export async function startTraceCollector({ isSecure = false } = {}): Promise<TraceCollector> {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  const requests: TraceCollector['requests'][number][] = [];
  async function onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requests.push({ path: `${request.method} ${request.url}`, headers: request.headers });
    const body = await text(request).catch(() => undefined);
    const behaviour = collector.behave();
    if (body === undefined || behaviour === 'never') return;
    if (behaviour.status === 200) {
      spans.push(...readExport(body));
      bodies.push(body);
    }
    response.writeHead(behaviour.status, behaviour.headers).end(behaviour.body ?? '{}');
  }
  const listener: RequestListener = (request, response) => void onRequest(request, response);
  const { cert, key } = PRIVATE_TLS;
  const server = isSecure ? createSecureServer({ cert, key }, listener) : createServer(listener);
  const port = await listen(server);
  const collector: TraceCollector = {
    url: `${isSecure ? 'https' : 'http'}://127.0.0.1:${port}`,
    spans,
    bodies,
    requests,
    behave: () => ({ status: 200 }),
    trace: (traceId, ...names) =>
      until(
        `the trace ${traceId} to have ${names.join(', ')}`,
        () => {
          const found = spans.filter((span) => span.traceId === traceId);
          return names.every((name) => found.some((span) => span.name === name)) && found;
        },
        { limitMs: 60_000 },
      ),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return collector;
}
