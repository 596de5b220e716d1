import type { Dispatcher } from 'undici';
import { defined } from '#runtime/collections/optional.ts';
import type { EgressPolicy } from '#runtime/egress/egress-policy.ts';
import { isDataUrl, readDataUrl } from '#runtime/entries/data-url.ts';
import type { RetryLimit } from '#runtime/time/retry-limit.ts';
import { askStore, type BucketAccess, objectCrc32, objectFault, type SourceFile } from './bucket-source.ts';
import { CountedFlow } from './counted-flow.ts';
import { gatedGet } from './gated-get.ts';
import { firstHop, nextHop } from './hops.ts';
import type { HostGates } from './host-gates.ts';
import type { BodySink, BodyUse, Flow, GetLimits, ResponseHead } from './http-get.ts';
import { type ReceivedPrefix, RepeatedPrefix } from './repeated-prefix.ts';
import {
  assertContinuation,
  decidesContinuation,
  invalid,
  type ResumePoint,
  readSourceHead,
  type SourceHead,
  totalOfRange,
} from './response-head.ts';
import { createPageCheck, type PageCheck } from './sign-in-page.ts';
import { SourceError, SourceFaultError } from './source-error.ts';
import { errorFault, isRedirect, statusFault } from './source-faults.ts';
import { assertDeclared, assertNotLonger, assertSize, isVerifiable } from './stated.ts';
import { StoreError } from './store-error.ts';

/** Receives the body of one source synchronously. */
export interface SourceSink {
  /** The body starts at its first byte. */
  start(head: SourceHead, flow: Flow): void;
  /** The following bytes continue the previous ones. */
  continue(flow: Flow): void;
  write(chunk: Uint8Array): void;
}

export interface DownloadLimits extends GetLimits {
  readonly maxBytes: number;
  /** Rejects a body without a declared length whose end is only the end of the connection. */
  readonly refuseUnverified: boolean;
  /** Sends a request again that failed because of other requests. Otherwise each source is requested once. */
  readonly repeats: boolean;
}

export interface DownloadDeps {
  readonly agent: Dispatcher;
  readonly policy: EgressPolicy;
  readonly hosts: HostGates;
  readonly limits: DownloadLimits;
  readonly userAgent: string;
  /** Called with what made a source unreachable. */
  readonly onUnreachable?: ((cause: unknown) => void) | undefined;
}

/** The headers of the file are sent only to the origin of its URL, because they may be credentials. */
export interface DownloadRequest extends SourceFile {
  readonly index: number;
  readonly sink: SourceSink;
  readonly signal: AbortSignal;
  readonly resume: ResumePoint | undefined;
  /** What the response must repeat if it need not resume, so that the sink gets only the rest. */
  readonly prefix?: ReceivedPrefix | undefined;
  /** Called with the number of repeated bytes. */
  readonly onRepeated?: (bytes: number) => void;
  /** Ends when the sink has the head. */
  readonly headOnly?: boolean;
  /**
   * Counts neither the wait for a free request to the origin, nor requests that failed because of others, nor the time in which
   * the sink pauses the body.
   */
  readonly limit?: RetryLimit;
  /** Called when the request must wait for others to the origin. The returned function is called at the end of the wait. */
  readonly onQueued?: ((origin: string) => () => void) | undefined;
}

/**
 * Of a source of which only the head is wanted, a body up to this length is read, so that the connection can be reused: it
 * arrives with the head in the first packets, and reading it costs less than a connection.
 */
const REUSE_BYTES = 16 * 1024;
const MAX_REDIRECTS = 5;

function inlineHead(bytes: number): SourceHead {
  return {
    declaredLength: bytes,
    lastModified: undefined,
    lengthUnverified: false,
    contentEncoding: undefined,
    etag: undefined,
    lastModifiedText: undefined,
    validator: undefined,
  };
}

/** A content of at most 64 KiB arrives at once. */
const NO_FLOW: Flow = { pause: () => undefined, resume: () => undefined };

/** Positions in a Range header are those of bytes, so the last one is included. */
function rangeOf({ from, to }: ResumePoint): string {
  return `bytes=${from}-${to === undefined ? '' : to - 1}`;
}

/** What sends a request: to URLs the agent for sources, and to a bucket its own agent with a signature. */
interface Sender {
  readonly agent: Dispatcher;
  readonly sign?: () => Promise<Readonly<Record<string, string>>>;
}

/** One attempt at one source: follows redirects and fills the sink. */
class Download {
  readonly #request: DownloadRequest;
  readonly #deps: DownloadDeps;
  #inBody = false;
  #flow: Disposable | undefined;
  #storeError = new StoreError();
  #received: number;
  /** The position behind the last byte of the response. */
  #end: number | undefined;
  #page: PageCheck | undefined;
  #repeated: RepeatedPrefix | undefined;

  constructor(request: DownloadRequest, deps: DownloadDeps) {
    this.#request = request;
    this.#deps = deps;
    this.#received = request.resume?.from ?? 0;
    this.#end = request.resume?.to ?? request.resume?.total;
  }

  async run(): Promise<void> {
    try {
      const { bucket } = this.#request;
      if (bucket) await this.#getObject(bucket);
      else if (isDataUrl(this.#request.url)) this.#writeInline();
      else await this.#follow();
      this.#assertWhole();
    } catch (error) {
      this.#request.signal.throwIfAborted();
      const fault = errorFault(error, this.#inBody);
      if (fault.code === 'SourceUnreachable') this.#deps.onUnreachable?.(fault.cause);
      // A resumed body would be accepted without its first bytes.
      const voids = this.#page?.isOpen === true && { refutesReceived: true as const };
      throw new SourceError(this.#request, { ...fault, ...voids });
    }
  }

  /** The content is in the URL, so nothing is requested. */
  #writeInline(): void {
    const content = readDataUrl(this.#request.url);
    if (!content.ok) throw invalid(`the data: URL ${content.problem}`);
    this.#inBody = true;
    const { length } = content.bytes;
    assertDeclared(this.#request, { length, contentType: content.mediaType });
    this.#request.sink.start(inlineHead(length), NO_FLOW);
    this.#write(content.bytes);
  }

  /** Follows no redirect: a store redirects to the right region or endpoint, for which the signature would not be valid. */
  async #getObject(access: BucketAccess): Promise<void> {
    if ('fault' in access) throw new SourceFaultError(access.fault);
    const { store, url } = access;
    const { signal } = this.#request;
    const how = { agent: store.agent, sign: () => store.sign(url) };
    async function assertObject(head: ResponseHead, storeCode: string | undefined): Promise<void> {
      const { date } = head.headers;
      if (storeCode === 'RequestTimeTooSkewed' && typeof date === 'string') store.setClock(date);
      throw new SourceFaultError(objectFault({ ...head, storeCode }, url, store.zipBucket));
    }
    await askStore(
      store,
      async () => {
        const head = await this.#get(url, undefined, how);
        if (!this.#inBody) await assertObject(head, this.#storeError.code);
      },
      signal,
    );
  }

  async #follow(): Promise<void> {
    const { policy } = this.#deps;
    let url = firstHop(this.#request.url, policy);
    // Once dropped, the caller's headers stay dropped, even if a later redirect returns to the origin.
    let own = this.#request.headers;
    for (let redirects = 0; ; redirects += 1) {
      const head = await this.#get(url, own);
      if (this.#inBody) return;
      if (!isRedirect(head.status))
        throw new SourceFaultError(
          statusFault({ ...head, storeCode: this.#storeError.code }, url, Date.now()),
        );
      if (redirects === MAX_REDIRECTS) throw invalid(`more than ${MAX_REDIRECTS} redirects`, head.status);
      const next = nextHop(head, url, policy);
      if (next.origin !== url.origin) own = undefined;
      url = next;
    }
  }

  async #get(
    url: URL,
    own: Readonly<Record<string, string>> | undefined,
    { agent, sign }: Sender = this.#deps,
  ): Promise<ResponseHead> {
    const { hosts, limits } = this.#deps;
    const { index, signal, limit, headOnly, onQueued, resume } = this.#request;
    if (resume?.to !== undefined) hosts.capReaders(url.origin);
    const sink: BodySink = {
      start: (head, flow) => {
        this.#storeError = new StoreError();
        return this.#start(head, flow, url);
      },
      discard: (chunk) => this.#storeError.add(chunk),
      write: (chunk) => this.#write(chunk),
    };
    try {
      return await gatedGet(
        { url, agent, limits, signal, headers: this.#headers(own), sink },
        { hosts, index, limit, mayRepeat: limits.repeats && headOnly !== true, onQueued, sign },
      );
    } finally {
      this.#flow?.[Symbol.dispose]();
    }
  }

  #headers(own: Readonly<Record<string, string>> | undefined): Readonly<Record<string, string>> {
    const { resume } = this.#request;
    return {
      'user-agent': this.#deps.userAgent,
      accept: '*/*',
      ...own,
      'accept-encoding': 'identity',
      ...(resume && { range: rangeOf(resume), ...this.#condition(resume) }),
    };
  }

  /** S3 documents `If-Match` only. */
  #condition({ etag, validator }: ResumePoint): Readonly<Record<string, string>> {
    return this.#request.bucket && etag !== undefined ? { 'if-match': etag } : { 'if-range': validator };
  }

  #start(head: ResponseHead, body: Flow, url: URL): BodyUse {
    const { resume, prefix, sink, headOnly } = this.#request;
    const flow = this.#counted(body);
    if (resume && decidesContinuation(head)) {
      assertContinuation(head, resume);
      const total = totalOfRange(head);
      assertSize(this.#request, total);
      this.#end = resume.to ?? total;
      this.#inBody = true;
      sink.continue(flow);
      return 'read';
    }
    if (head.status !== 200) return 'discard';
    const source = this.#headOf(head);
    this.#assertAcceptable(source);
    assertDeclared(this.#request, {
      length: source.declaredLength,
      contentType: head.headers['content-type'],
    });
    this.#inBody = true;
    if (prefix) return this.#repeat(prefix, source, flow);
    sink.start(source, flow);
    if (headOnly === true) return (source.declaredLength ?? Infinity) <= REUSE_BYTES ? 'discard' : 'close';
    this.#end = source.declaredLength;
    // A store sends no page for signing in: a page is what the object contains.
    if (!this.#request.bucket) this.#page = createPageCheck(this.#request, head, url);
    return 'read';
  }

  #headOf(head: ResponseHead): SourceHead {
    const source = readSourceHead(head);
    return this.#request.bucket ? { ...source, ...defined({ crc32: objectCrc32(head) }) } : source;
  }

  #counted(body: Flow): Flow {
    const { limit } = this.#request;
    if (!limit) return body;
    const flow = new CountedFlow(body, limit);
    this.#flow = flow;
    return flow;
  }

  #repeat(prefix: ReceivedPrefix, source: SourceHead, flow: Flow): BodyUse {
    this.#repeated = new RepeatedPrefix(prefix, source, () => this.#request.sink.continue(flow));
    this.#received = 0;
    this.#end = this.#repeated.total;
    return 'read';
  }

  #assertAcceptable({ declaredLength: total, lengthUnverified }: SourceHead): void {
    const { maxBytes, refuseUnverified } = this.#deps.limits;
    if (total !== undefined && total > maxBytes) {
      const text = `it has ${total} bytes, more than the maximum file size of ${maxBytes}`;
      throw new SourceFaultError({ code: 'SourceTooLarge', text, retryable: false });
    }
    if (lengthUnverified && refuseUnverified && !isVerifiable(this.#request))
      throw invalid(
        'it does not declare its length, and such sources are rejected (SOURCE_REFUSE_UNVERIFIED)',
      );
  }

  #write(chunk: Uint8Array): void {
    this.#received += chunk.byteLength;
    const { maxBytes } = this.#deps.limits;
    if (this.#received > maxBytes) {
      const text = `it is larger than the maximum file size of ${maxBytes} bytes`;
      throw new SourceFaultError({ code: 'SourceTooLarge', text, retryable: false });
    }
    const rest = this.#repeated?.skip(chunk) ?? chunk;
    if (this.#end !== undefined && this.#received > this.#end)
      throw invalid('it sent more bytes than it declared');
    assertNotLonger(this.#request, this.#received);
    this.#page?.write(chunk);
    if (rest.byteLength < chunk.byteLength) this.#request.onRepeated?.(chunk.byteLength - rest.byteLength);
    if (rest.byteLength > 0) this.#request.sink.write(rest);
  }

  #assertWhole(): void {
    this.#repeated?.assertPassed();
    if (this.#end !== undefined && this.#received !== this.#end) {
      const text = `it sent ${this.#received} bytes of ${this.#end}`;
      throw new SourceFaultError({ code: 'SourceTruncated', text, retryable: true });
    }
    if (this.#request.headOnly === true || this.#request.resume?.to !== undefined) return;
    assertSize(this.#request, this.#received);
    this.#page?.end();
  }
}

/**
 * Downloads one source, or the rest of it, into the sink, without retries. Resolves when the whole body was written.
 * Checks every redirect, and sends no cookies, no referer, and outside the URL's origin no headers of the caller.
 * @throws SourceError, or the reason of the signal if it aborts
 */
export function download(request: DownloadRequest, deps: DownloadDeps): Promise<void> {
  return new Download(request, deps).run();
}
