import type { Logger } from '../log/log.ts';
import { systemClock } from '../time/clock.ts';
import type { Trust } from '../tls/trust.ts';
import type { TracingMetrics } from './metrics.ts';
import type { TraceSource } from './otlp.ts';
import type { TracingSettings } from './settings.ts';
import type { Span } from './span.ts';

/** Where a process leaves its spans. */
export interface Tracer {
  /** Part of the jobs that are traced, from 0 to 1. */
  readonly ratio: number;
  /** Sends spans in the background. Never throws, and never waits. */
  add(spans: readonly Span[]): void;
}

export interface TracerDeps {
  readonly source: TraceSource;
  readonly trust: Trust;
  readonly metrics: TracingMetrics;
  readonly log: Logger;
  /** Sends what is left, and closes the connection, when the process ends. */
  readonly resources: AsyncDisposableStack;
}

const TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Undefined without TRACING_ENDPOINT: the process then loads nothing of it.
 * @throws ConfigError if the file with headers is invalid
 */
export async function openTracer(settings: TracingSettings, deps: TracerDeps): Promise<Tracer | undefined> {
  const { tracingEndpoint: endpoint, tracingSampleRatio: ratio, tracingHeadersFile: file } = settings;
  if (endpoint === '') return undefined;
  const [{ createSendSpans }, { createSpanQueue }, { readHeadersFile }, { Agent }, { createTlsConnector }] =
    await Promise.all([
      import('./send-spans.ts'),
      import('./span-queue.ts'),
      import('./headers-file.ts'),
      import('../http/undici.ts'),
      import('../tls/connector.ts'),
    ]);
  readHeadersFile(file);
  const { source, trust, resources } = deps;
  const dispatcher = new Agent({
    connections: 1,
    connect: createTlsConnector(trust, { timeout: CONNECT_TIMEOUT_MS }),
  });
  resources.defer(() => dispatcher.destroy());
  const send = createSendSpans({
    endpoint,
    dispatcher,
    headers: () => readHeadersFile(file),
    userAgent: `${source.service}/${source.version}`,
    timeoutMs: TIMEOUT_MS,
  });
  const queue = resources.use(createSpanQueue({ ...deps, send, clock: systemClock }));
  return { ratio, add: (spans) => queue.add(spans) };
}
