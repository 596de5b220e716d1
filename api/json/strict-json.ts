import { scanJson } from './scan-json.ts';
import { StrictJsonError } from './strict-json-error.ts';

export interface StrictJsonOptions {
  /** Maximum nesting of objects and arrays. */
  readonly maxDepth: number;
}

export interface StrictJson {
  readonly body: Readonly<Record<string, unknown>>;
  /** The text of the top-level value `metadata`, byte for byte as sent without the whitespace around it. */
  readonly metadataText: string | undefined;
}

const decodeUtf8 = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new StrictJsonError('The body is not valid UTF-8.', error);
  }
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // Drop the engine's message: it quotes the body, which may contain signed URLs.
    throw new StrictJsonError('The body is not valid JSON.');
  }
};

/** A copy, because V8 keeps the whole text in memory as long as a slice of it is referenced. */
const copyOf = (slice: string): string => Buffer.from(slice).toString();

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Parses a request body strictly: fatal UTF-8, limited depth, no duplicate keys (at the top and in the entries of `urls`, where
 * parsers disagree about which one wins), and one object at the top. The depth is checked before JSON.parse, which has no
 * limit of its own; a later JSON.stringify of a deeper value would fail.
 * @throws StrictJsonError
 */
export const parseStrictJson = (bytes: Uint8Array, options: StrictJsonOptions): StrictJson => {
  const text = decodeUtf8(bytes);
  const { metadata } = scanJson(text, options.maxDepth);
  const body = parse(text);
  if (!isObject(body)) throw new StrictJsonError('The body must be a JSON object.');
  return {
    body,
    metadataText: metadata && copyOf(text.slice(metadata.start, metadata.end)),
  };
};
