/** `data:` URLs, whose content is in the URL itself. Only entries of a request may have them. */

import { mediaTypeOf } from './expectations.ts';

/** Of one content. */
export const MAX_DATA_BYTES = 64 * 1024;
/** Of all contents of a request. */
export const MAX_DATA_BYTES_IN_ALL = 1024 * 1024;
/** Of the text: every byte can be written as three characters, and a media type precedes the content. */
export const MAX_DATA_URL_LENGTH = 3 * MAX_DATA_BYTES + 256;

/** Only characters that redactText masks to the end. Readers disagree whether the content continues after a `#`. */
const DATA_URL = /^data:([^\s"'<>`\\,#]{0,200}),([^\s"'<>`\\#]*)$/i;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const NOT_PLAIN = /[^\x21-\x7e]/;
const UNESCAPED = /%(?![0-9A-Fa-f]{2})/;

export function isDataUrl(url: string): boolean {
  return /^data:/i.test(url);
}

export type DataUrl =
  | {
      readonly ok: true;
      readonly bytes: Buffer;
      /** In lower case, without parameters. */
      readonly mediaType: string;
    }
  /** The end of a sentence. Contains nothing of the URL. */
  | { readonly ok: false; readonly problem: string };

function invalid(problem: string): DataUrl {
  return { ok: false, problem };
}

const TOO_LONG = invalid(`has more than ${MAX_DATA_BYTES} bytes of content`);

const PERCENT = 0x25;

/** Of the code of a hexadecimal digit. */
function digitOf(code = 0): number {
  return (code & 0xf) + (code > 0x39 ? 9 : 0);
}

/** In one loop: a call per escape would block the event loop for tens of milliseconds. */
function unescape(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1, length += 1) {
    const code = bytes[at] ?? 0;
    bytes[length] = code === PERCENT ? digitOf(bytes[at + 1]) * 16 + digitOf(bytes[at + 2]) : code;
    if (code === PERCENT) at += 2;
  }
  return bytes.subarray(0, length);
}

/** Of a content without one (RFC 2397). */
const DEFAULT_MEDIA_TYPE = 'text/plain';

function limited(bytes: Buffer, type: string): DataUrl {
  return bytes.length > MAX_DATA_BYTES
    ? TOO_LONG
    : { ok: true, bytes, mediaType: mediaTypeOf(type) ?? DEFAULT_MEDIA_TYPE };
}

function fromBase64(text: string, type: string): DataUrl {
  return BASE64.test(text)
    ? limited(Buffer.from(text, 'base64'), type)
    : invalid('has content that is not valid base64');
}

/** The content of a `data:` URL: base64 or percent-encoded. Pure. */
export function readDataUrl(url: string): DataUrl {
  if (url.length > MAX_DATA_URL_LENGTH) return TOO_LONG;
  const found = NOT_PLAIN.test(url) ? null : DATA_URL.exec(url);
  if (!found) return invalid('is not a valid data: URL with percent-encoded or base64 content');
  const [, type = '', content = ''] = found;
  if (UNESCAPED.test(content)) return invalid('has a "%" that is not followed by two hexadecimal digits');
  const plain = unescape(content);
  return /;base64$/i.test(type) ? fromBase64(plain.toString('latin1'), type) : limited(plain, type);
}
