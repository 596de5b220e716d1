import { scanJson } from './scan-json.ts';
import { StrictJsonError } from './strict-json-error.ts';

export interface StrictJsonOptions {
  /** Deepest nesting of objects and arrays that is looked at. */
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
    // The engine's message quotes the body, which may hold signed URLs: it goes no further.
    throw new StrictJsonError('The body is not valid JSON.');
  }
};

/** V8 keeps the whole text alive for a slice of it, for as long as the request takes. */
const copyOf = (slice: string): string => Buffer.from(slice).toString();

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Reads a request body strictly: fatal UTF-8, bounded depth, no key twice (at the top and in the entries of `urls`, where
 * parsers would disagree about the winner), one object at the top. Depth is judged before JSON.parse, which has no
 * limit, while JSON.stringify of what it made would fail later.
 * @throws StrictJsonError
 */
export const parseStrictJson = (bytes: Uint8Array, options: StrictJsonOptions): StrictJson => {
  const text = decodeUtf8(bytes);
  const { metadata } = scanJson(text, options.maxDepth);
  const body = parse(text);
  if (!isObject(body)) throw new StrictJsonError('The body must be one JSON object.');
  return {
    body,
    metadataText: metadata && copyOf(text.slice(metadata.start, metadata.end)),
  };
};
