/**
 * Recognizes a page in place of a file: a host that wants the user to sign in redirects to a page with status 200. A page is
 * refused only if everything speaks against a file, because the same response can be what the caller wants.
 */
import { extname } from 'node:path/posix';
import type { ListedFile } from '#crds/zip-job.ts';
import type { ResponseHead } from './http-get.ts';
import { invalid } from './response-head.ts';
import type { SourceFaultError } from './source-error.ts';
import { mediaTypeIn } from './stated.ts';

const PAGE_TYPES: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml']);
/** Endings of names that a page may have. */
const PAGE_ENDINGS: ReadonlySet<string> = new Set(['', '.', '.html', '.htm', '.xhtml', '.txt']);
const FIRST_BYTES = 1024;

function refusal(mediaType: string): SourceFaultError {
  return invalid(
    `it redirects to an HTML page, which looks like a sign-in page; use a URL that needs no sign-in, or state content_type: ${mediaType} if you want the page`,
  );
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^www\./, '');
}

function pathOf({ pathname }: URL): string {
  return pathname.replace(/\/$/, '');
}

/** The usual port of http and https is empty. */
function isUpgrade(from: URL, to: URL): boolean {
  return from.protocol === 'http:' && to.protocol === 'https:';
}

/** True unless the redirects only changed to https, added or removed `www.` or the slash at the end, or changed the query. */
function hasLeft(from: URL, to: URL): boolean {
  return (
    hostOf(from) !== hostOf(to) ||
    pathOf(from) !== pathOf(to) ||
    (from.port !== to.port && !isUpgrade(from, to))
  );
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

/** Each starts what may precede a document, which ends with the other. */
const PREFACES = [
  ['<!--', '-->'],
  ['<?', '>'],
] as const;

/** Without white space, comments and XML declarations at the start. A loop, because an expression could take exponential time. */
function documentOf(text: string): string {
  const rest = text.trimStart();
  const preface = PREFACES.find(([start]) => rest.startsWith(start));
  if (!preface) return rest;
  const [, end] = preface;
  // The shortest comment is <!-->.
  const at = rest.indexOf(end, 2);
  return at < 0 ? '' : documentOf(rest.slice(at + end.length));
}

function startsPage(bytes: Uint8Array): boolean {
  return /^<(?:!doctype\s+html|html)(?![\w:.-])/i.test(
    documentOf(new TextDecoder(encodingOf(bytes)).decode(bytes)),
  );
}

/** Reads the first bytes of a body. */
export interface PageCheck {
  /** True until enough bytes have arrived. */
  readonly isOpen: boolean;
  /** @throws SourceFaultError if the bytes so far start a page */
  write(chunk: Uint8Array): void;
  /** The body has ended. @throws SourceFaultError */
  end(): void;
}

class FirstBytes implements PageCheck {
  isOpen = true;
  readonly #mediaType: string;
  #first = new Uint8Array(0);

  constructor(mediaType: string) {
    this.#mediaType = mediaType;
  }

  write(chunk: Uint8Array): void {
    if (!this.isOpen) return;
    this.#first = Buffer.concat([this.#first, chunk.subarray(0, FIRST_BYTES - this.#first.length)]);
    if (this.#first.length === FIRST_BYTES) this.end();
  }

  end(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    if (startsPage(this.#first)) throw refusal(this.#mediaType);
  }
}

/** Undefined if the response cannot be a sign-in page, or was stated: a checksum decides, or the media type was checked. */
export function createPageCheck(
  { url, filename, sha256, crc32, contentType }: ListedFile,
  { headers }: ResponseHead,
  finalUrl: URL,
): PageCheck | undefined {
  if (finalUrl.href === url || (sha256 ?? crc32 ?? contentType) !== undefined) return undefined;
  const mediaType = mediaTypeIn(headers['content-type']) ?? '';
  if (!PAGE_TYPES.has(mediaType)) return undefined;
  if (PAGE_ENDINGS.has(extname(filename).toLowerCase())) return undefined;
  return hasLeft(new URL(url), finalUrl) ? new FirstBytes(mediaType) : undefined;
}
