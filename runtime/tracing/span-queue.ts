import { AppError, toError } from '../errors.ts';
import type { Logger } from '../log/log.ts';
import { type Clock, pause } from '../time/clock.ts';
import { retry } from '../time/retry.ts';
import type { DropReason, TracingMetrics } from './metrics.ts';
import { encodeSpans, type TraceSource } from './otlp.ts';
import type { SendSpans } from './send-spans.ts';
import type { Span } from './span.ts';

const BATCH_SPANS = 512;

const LIMITS = {
  /** Spans in memory, those being sent included: about 4 MiB. */
  maxSpans: 8_192,
  /** How long a span waits for others, so that most requests have many. */
  batchWaitMs: 2_000,
  /** How long the end of the process waits for the spans that are left. */
  closeMs: 2_000,
  attempts: 5,
  baseDelayMs: 1_000,
  maxDelayMs: 30_000,
};

export interface SpanQueueOptions {
  readonly send: SendSpans;
  readonly source: TraceSource;
  readonly metrics: TracingMetrics;
  readonly clock: Clock;
  readonly log: Logger;
  /** Other limits, for tests. */
  readonly limits?: Partial<typeof LIMITS>;
}

/**
 * Sends spans in the background, one request at a time. Nothing waits for it: when too many are waiting, further ones are dropped and
 * counted. The end of the process sends the rest once.
 */
export interface SpanQueue extends AsyncDisposable {
  /** Adds all of them or none. */
  add(spans: readonly Span[]): void;
}

/** A response without an error of ours is one of the connection, or a timeout. */
function isRetryable(error: unknown): boolean {
  return !(error instanceof AppError) || error.retryable;
}

class BoundedSpanQueue implements SpanQueue {
  readonly #options: SpanQueueOptions;
  readonly #limits: typeof LIMITS;
  readonly #waiting: Span[] = [];
  #sending = 0;
  #running: Promise<void> | undefined;
  /** Ends the waits. */
  readonly #closing = new AbortController();
  /** Ends the requests. */
  readonly #closed = new AbortController();
  #isFailing = false;

  constructor(options: SpanQueueOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
  }

  add(spans: readonly Span[]): void {
    if (this.#waiting.length + this.#sending + spans.length > this.#limits.maxSpans) {
      this.#drop('full', spans.length);
      return;
    }
    this.#waiting.push(...spans);
    this.#running ??= this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    using _limit = this.#options.clock.after(this.#limits.closeMs, () => this.#closed.abort());
    await this.#running;
  }

  /** Ends when nothing is left, so that an idle process has no timer. Never throws. */
  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      if (this.#waiting.length < BATCH_SPANS)
        await pause(this.#options.clock, this.#limits.batchWaitMs, this.#closing.signal);
      const batch = this.#waiting.splice(0, BATCH_SPANS);
      this.#sending = batch.length;
      await this.#deliver(batch);
      this.#sending = 0;
    }
    this.#running = undefined;
  }

  async #deliver(batch: readonly Span[]): Promise<void> {
    const { source, metrics, log } = this.#options;
    try {
      const rejected = Math.min(batch.length, await this.#send(encodeSpans(batch, source)));
      metrics.spansSent.inc(batch.length - rejected);
      if (rejected > 0) this.#drop('refused', rejected);
      if (this.#isFailing) log.info('traces are sent again');
      this.#isFailing = false;
    } catch (error) {
      this.#drop(isRetryable(error) ? 'failed' : 'refused', batch.length);
      if (!this.#isFailing)
        log.warn(
          { err: toError(error) },
          'could not send traces: spans are dropped until the collector accepts them',
        );
      this.#isFailing = true;
    }
  }

  #isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  /** When the process ends, a batch is sent once more at most. */
  async #send(body: string): Promise<number> {
    const once = (): Promise<number> => this.#options.send(body, this.#closed.signal);
    if (this.#isClosing()) return once();
    try {
      return await retry(once, { ...this.#limits, isRetryable }, this.#closing.signal);
    } catch (error) {
      if (!this.#isClosing()) throw error;
      return once();
    }
  }

  #drop(reason: DropReason, spans: number): void {
    this.#options.metrics.spansDropped.inc({ reason }, spans);
  }
}

export function createSpanQueue(options: SpanQueueOptions): SpanQueue {
  return new BoundedSpanQueue(options);
}
