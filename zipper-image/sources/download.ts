import type { Dispatcher } from 'undici';
import type { EgressPolicy } from '#runtime/egress/egress-policy.ts';
import { EgressRefusedError } from '#runtime/egress/egress-refused-error.ts';
import { type JudgedUrl, judgeUrl } from '#runtime/egress/judge-url.ts';
import { type Flow, type GetLimits, httpGet, type ResponseHead } from './http-get.ts';
import { SourceError, type SourceFault, SourceFaultError } from './source-error.ts';
import { errorFault, isRedirect, statusFault } from './source-faults.ts';

/** What the head of a 200 tells about the file. */
export interface SourceHead {
  readonly declaredLength: number | undefined;
  readonly lastModified: Date | undefined;
  readonly lengthUnverified: boolean;
  readonly contentEncoded: boolean;
}

/** Receives one source's body, synchronously; `start` may throw to refuse it. */
export interface SourceSink {
  start(head: SourceHead, flow: Flow): void;
  write(chunk: Uint8Array): void;
}

export interface DownloadDeps {
  readonly agent: Dispatcher;
  readonly policy: EgressPolicy;
  readonly limits: GetLimits;
  readonly userAgent: string;
}

export interface DownloadRequest {
  readonly index: number;
  readonly url: string;
  readonly sink: SourceSink;
  readonly signal: AbortSignal;
}

const MAX_REDIRECTS = 5;
const MAX_LOCATION_LENGTH = 8192;
/** Printable ASCII: a Location in another encoding means different places to different readers. */
const PLAIN_LOCATION = /^[\x21-\x7e]+$/;

const invalid = (text: string, httpStatus?: number): SourceFaultError =>
  new SourceFaultError({
    code: 'SourceInvalid',
    text,
    retryable: false,
    ...(httpStatus !== undefined && { httpStatus }),
  });

/** Refusals that anyone can see in the text of the URL; all others look like a failed connection. */
const VISIBLE_REASONS: ReadonlySet<string> = new Set(['scheme', 'credentials', 'port']);

const accept = (judged: JudgedUrl, host: string): URL => {
  if (judged.ok) return judged.url;
  if (judged.kind === 'syntax') throw invalid('the URL is not valid');
  if (VISIBLE_REASONS.has(judged.reason)) throw invalid(`the URL is refused because of its ${judged.reason}`);
  throw new EgressRefusedError(host, judged.reason);
};

const nextHop = (head: ResponseHead, from: URL, policy: EgressPolicy): URL => {
  const location = head.headers['location'];
  if (typeof location !== 'string') throw invalid('a redirect without one Location', head.status);
  if (location.length > MAX_LOCATION_LENGTH || !PLAIN_LOCATION.test(location))
    throw invalid('a redirect with a malformed Location', head.status);
  const resolved = URL.parse(location, from.href);
  if (!resolved) throw invalid('a redirect with a malformed Location', head.status);
  const url = accept(judgeUrl(resolved.href, policy), resolved.hostname);
  if (from.protocol === 'https:' && url.protocol === 'http:')
    throw invalid('a redirect from https to http', head.status);
  return url;
};

const readLength = (value: string | string[] | undefined): number | undefined => {
  if (value === undefined) return undefined;
  const length = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(length)) throw invalid('a malformed Content-Length');
  return length;
};

const readDate = (value: string | string[] | undefined): Date | undefined => {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(time);
};

const isEncoded = (value: string | string[] | undefined): boolean =>
  value !== undefined &&
  !(typeof value === 'string' && ['', 'identity'].includes(value.trim().toLowerCase()));

/** One try at one source: follows redirects and fills the sink. */
class Download {
  readonly #request: DownloadRequest;
  readonly #deps: DownloadDeps;
  #inBody = false;
  #received = 0;
  #length: number | undefined;

  constructor(request: DownloadRequest, deps: DownloadDeps) {
    this.#request = request;
    this.#deps = deps;
  }

  async run(): Promise<void> {
    try {
      await this.#follow();
    } catch (error) {
      this.#request.signal.throwIfAborted();
      throw this.#sourceError(errorFault(error, this.#inBody));
    }
    if (this.#length !== undefined && this.#received !== this.#length) {
      const text = `it sent ${this.#received} bytes of ${this.#length}`;
      throw this.#sourceError({ code: 'SourceTruncated', text, retryable: true });
    }
  }

  async #follow(): Promise<void> {
    const { policy } = this.#deps;
    const first = this.#request.url;
    let url = accept(judgeUrl(first, policy), URL.parse(first)?.hostname ?? '');
    for (let redirects = 0; ; redirects += 1) {
      const head = await this.#get(url);
      if (head.status === 200) return;
      if (!isRedirect(head.status)) throw new SourceFaultError(statusFault(head, Date.now()));
      if (redirects === MAX_REDIRECTS) throw invalid(`more than ${MAX_REDIRECTS} redirects`, head.status);
      url = nextHop(head, url, policy);
    }
  }

  #get(url: URL): Promise<ResponseHead> {
    const { agent, limits, userAgent } = this.#deps;
    return httpGet({
      url,
      agent,
      limits,
      signal: this.#request.signal,
      headers: { 'accept-encoding': 'identity', 'user-agent': userAgent, accept: '*/*' },
      sink: {
        start: (head, flow) => this.#start(head, flow),
        write: (chunk) => {
          this.#received += chunk.byteLength;
          this.#request.sink.write(chunk);
        },
      },
    });
  }

  #start({ headers }: ResponseHead, flow: Flow): void {
    this.#length = readLength(headers['content-length']);
    const { maxBytes } = this.#deps.limits;
    if (this.#length !== undefined && this.#length > maxBytes) {
      const text = `it has ${this.#length} bytes, more than the ${maxBytes} that one file may have`;
      throw new SourceFaultError({ code: 'SourceTooLarge', text, retryable: false });
    }
    this.#inBody = true;
    const contentEncoded = isEncoded(headers['content-encoding']);
    const head: SourceHead = {
      declaredLength: contentEncoded ? undefined : this.#length,
      lastModified: readDate(headers['last-modified']),
      lengthUnverified: this.#length === undefined && headers['transfer-encoding'] === undefined,
      contentEncoded,
    };
    this.#request.sink.start(head, flow);
  }

  #sourceError(fault: SourceFault): SourceError {
    return new SourceError(this.#request, fault);
  }
}

/**
 * Downloads one source into the sink, once; resolves when the whole body was written to it. Every hop of a redirect is
 * judged anew and carries no credentials, cookies or referer.
 * @throws SourceError, or the signal's reason when that is aborted.
 */
export const download = (request: DownloadRequest, deps: DownloadDeps): Promise<void> =>
  new Download(request, deps).run();
