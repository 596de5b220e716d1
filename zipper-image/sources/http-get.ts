import type { Dispatcher } from 'undici';
import { invalidHttp, isMiscountedEnd, watchConnection } from './invalid-http.ts';
import { SourceFaultError } from './source-error.ts';
import { type StallLimits, StallWatch } from './stall-watch.ts';

export interface GetLimits extends StallLimits {
  readonly headersTimeoutMs: number;
  /** Until the request is sent. Default: that of the agent. */
  readonly connectTimeoutMs?: number;
}

export type HeaderValue = string | string[] | undefined;

export interface ResponseHead {
  readonly status: number;
  /** Values without the white space that may be around them. */
  readonly headers: Readonly<Record<string, HeaderValue>>;
}

/** Lets the receiver of a body pause and resume reading from the socket. */
export interface Flow {
  pause(): void;
  resume(): void;
}

/**
 * What happens to a body. `discard`: it is not wanted, but its beginning is read, so that the connection can be reused.
 * `close`: it is not wanted, and the connection ends.
 */
export type BodyUse = 'read' | 'discard' | 'close';

/** Receives the body of a response. Called synchronously from the socket, so that a chunk needs no promise. */
export interface BodySink {
  /** Throws to end the connection immediately. */
  start(head: ResponseHead, flow: Flow): BodyUse;
  /** Throws to reject the rest of the body. */
  write(chunk: Uint8Array): void;
  /** A part of a body that is not wanted. */
  discard?(chunk: Buffer): void;
}

export interface GetRequest {
  readonly url: URL;
  readonly agent: Dispatcher;
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: GetLimits;
  readonly signal: AbortSignal;
  readonly sink: BodySink;
  /** Called before the sink has the head. */
  readonly onHead?: (head: ResponseHead) => void;
}

/** An unwanted body is read up to this size, so that the connection can be reused. */
const DISCARD_BYTES = 64 * 1024;

/** Without the white space that a value may have around it (RFC 9110, 5.5). undici keeps what is behind the value. */
function trimmed(value: string, blanks: string): string {
  let from = 0;
  let to = value.length;
  while (from < to && blanks.includes(value.charAt(from))) from += 1;
  while (from < to && blanks.includes(value.charAt(to - 1))) to -= 1;
  return value.slice(from, to);
}

/** The parser does not see `chunked` if there is a tab behind it, and reads until the end of the connection. */
function blanksAround(name: string): string {
  return name === 'transfer-encoding' ? ' ' : ' \t';
}

/** True for blanks, and for an empty value. */
function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === undefined;
}

function isTrimmed(value: HeaderValue): boolean {
  return typeof value === 'string' && !isBlank(value[0]) && !isBlank(value.at(-1));
}

function trimmedHeaders(headers: ResponseHead['headers']): ResponseHead['headers'] {
  // Nearly all of them.
  if (Object.values(headers).every(isTrimmed)) return headers;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      function trim(text: string): string {
        return trimmed(text, blanksAround(name));
      }
      return [name, typeof value === 'string' ? trim(value) : value?.map(trim)];
    }),
  );
}

/**
 * One GET: waiting -(head)-> reading -(end)-> finished. Any limit, any error and the signal also lead to finished, and
 * only the first of them counts.
 */
class HttpGet implements Dispatcher.DispatchHandler {
  readonly #request: GetRequest;
  readonly #done = Promise.withResolvers<ResponseHead>();
  readonly #onAbort = (): void => this.#fail(this.#request.signal.reason);
  #controller: Dispatcher.DispatchController | undefined;
  #finished = false;
  #failure: Error | undefined;
  #head: ResponseHead | undefined;
  #use: BodyUse = 'discard';
  #received = 0;
  /** Another request was sent on the connection before. */
  isReused = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(request: GetRequest) {
    this.#request = request;
  }

  run(): Promise<ResponseHead> {
    const { agent, url, headers, signal } = this.#request;
    const { origin } = url;
    signal.addEventListener('abort', this.#onAbort, { once: true });
    const options: Dispatcher.DispatchOptions = {
      origin,
      // Not pathname and search: they lose the question mark of an empty query.
      path: url.href.slice(origin.length).replace(/#.*$/s, ''),
      method: 'GET',
      headers: { ...headers },
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    try {
      signal.throwIfAborted();
      this.#limitConnect();
      agent.dispatch(options, this);
    } catch (error) {
      this.#fail(error);
    }
    return this.#done.promise;
  }

  #limitConnect(): void {
    const { connectTimeoutMs } = this.#request.limits;
    if (connectTimeoutMs === undefined) return;
    this.#timer = setTimeout(() => {
      const text = `no connection within ${connectTimeoutMs} ms`;
      this.#fail(
        new SourceFaultError({ code: 'SourceUnreachable', text, retryable: true, noResponse: true }),
      );
    }, connectTimeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#finished) {
      controller.abort(this.#failure ?? new Error('no longer needed'));
      return;
    }
    watchConnection(this);
    const { headersTimeoutMs } = this.#request.limits;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const text = `no response headers within ${headersTimeoutMs} ms`;
      this.#fail(new SourceFaultError({ code: 'SourceStalled', text, retryable: true, noResponse: true }));
    }, headersTimeoutMs);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, HeaderValue>>,
  ): void {
    // These are views of the socket's read buffer. The request outlives the young generation, and would keep the buffer
    // until the next full garbage collection.
    controller.rawHeaders = null;
    if (status < 200 || this.#finished) return;
    clearTimeout(this.#timer);
    this.#head = { status, headers: trimmedHeaders(headers) };
    const watch = new StallWatch(this.#request.limits, performance.now());
    this.#timer = setInterval(() => this.#checkProgress(watch), watch.tickMs);
    try {
      this.#request.onHead?.(this.#head);
      this.#use = this.#request.sink.start(this.#head, this.#flow(watch));
      if (this.#use === 'close') this.#leave(this.#head);
    } catch (error) {
      this.#fail(error);
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#finished) return;
    this.#received += chunk.length;
    if (this.#use !== 'read') {
      this.#request.sink.discard?.(chunk);
      this.#discard();
      return;
    }
    try {
      this.#request.sink.write(chunk);
    } catch (error) {
      this.#fail(error);
    }
  }

  onResponseEnd(): void {
    const head = this.#head;
    if (head && this.#finish()) this.#done.resolve(head);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const response = { isReused: this.isReused, hasHead: this.#head !== undefined, received: this.#received };
    if (isMiscountedEnd(error, this.#head?.headers['content-length'], this.#received)) this.onResponseEnd();
    else if (this.#head && this.#use === 'discard') this.#leave(this.#head);
    else this.#fail(invalidHttp(error, response) ?? error);
  }

  #flow(watch: StallWatch): Flow {
    return {
      pause: () => {
        watch.pause(performance.now());
        this.#controller?.pause();
      },
      resume: () => {
        watch.resume(performance.now());
        if (!this.#finished) this.#controller?.resume();
      },
    };
  }

  #discard(): void {
    if (this.#head && this.#received > DISCARD_BYTES) this.#leave(this.#head);
  }

  #leave(head: ResponseHead): void {
    if (!this.#finish()) return;
    this.#done.resolve(head);
    this.#controller?.abort(new Error('the rest of the body is not needed'));
  }

  #checkProgress(watch: StallWatch): void {
    const stall = watch.check(this.#received, performance.now());
    if (stall === undefined) return;
    if (this.#head && this.#use === 'discard') {
      this.#leave(this.#head);
      return;
    }
    const { idleTimeoutMs, minRateBytes, minRateWindowMs } = this.#request.limits;
    const text =
      stall === 'idle'
        ? `no data within ${idleTimeoutMs} ms`
        : `less than ${minRateBytes} bytes per second over ${minRateWindowMs} ms`;
    this.#fail(new SourceFaultError({ code: 'SourceStalled', text, retryable: true }));
  }

  /** False if the request has already finished. */
  #finish(): boolean {
    if (this.#finished) return false;
    this.#finished = true;
    clearTimeout(this.#timer);
    this.#request.signal.removeEventListener('abort', this.#onAbort);
    return true;
  }

  #fail(reason: unknown): void {
    if (!this.#finish()) return;
    this.#failure = reason instanceof Error ? reason : new Error('aborted', { cause: reason });
    this.#done.reject(this.#failure);
    this.#controller?.abort(this.#failure);
  }
}

/**
 * Sends one GET without following redirects, and resolves with the response head when the body has ended. The sink
 * decides from the head whether it wants the body. Rejects with the error of the agent, a SourceFaultError for a limit,
 * or the reason of the signal.
 */
export function httpGet(request: GetRequest): Promise<ResponseHead> {
  return new HttpGet(request).run();
}
