import { InvalidTextError, NotAnObjectError, StrictJsonError } from '../errors/strict-json-error.ts';
import { findJsonError } from './find-json-error.ts';
import type { JsonLimits } from './json-limits.ts';
import { type EntriesSpan, scanJson } from './scan-json.ts';
import type { Steps } from './steps.ts';

export interface StrictJson {
  readonly body: Readonly<Record<string, unknown>>;
  /** The text of the top-level value `metadata`, byte for byte as sent without the whitespace around it. */
  readonly metadataText: string | undefined;
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new StrictJsonError('The body is not valid UTF-8.', error);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidTextError();
  }
}

/** A copy, because V8 keeps the whole text in memory as long as a slice of it is referenced. */
function copyOf(slice: string): string {
  return Buffer.from(slice).toString();
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The elements of an array in batches, each of which is a valid array of its own. */
function* parseEntries(text: string, { start, end, commas }: EntriesSpan): Steps<readonly unknown[]> {
  if (commas.length === 0) return parse(`[${text.slice(start, end)}]`) as readonly unknown[];
  const entries: unknown[] = [];
  for (const [index, stop] of [...commas, end].entries()) {
    const first = index === 0 ? start : (commas[index - 1] ?? 0) + 1;
    const batch = parse(`[${text.slice(first, stop)}]`) as readonly unknown[];
    if (batch.length === 0) throw new InvalidTextError();
    for (const entry of batch) entries.push(entry);
    yield;
  }
  return entries;
}

function* parseWhole(text: string, entries: EntriesSpan | undefined): Steps<unknown> {
  if (entries === undefined) return parse(text);
  const rest = parse(`${text.slice(0, entries.start)}${text.slice(entries.end)}`);
  yield;
  return isObject(rest) ? { ...rest, urls: yield* parseEntries(text, entries) } : rest;
}

/** Lines that are counted before other requests continue. */
const LINES_AT_ONCE = 65_536;

/** `line 3, column 7`, counted from 1. */
function* lineAndColumn(text: string, at: number): Steps<string> {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < at; end = text.indexOf('\n', start)) {
    line += 1;
    start = end + 1;
    if (line % LINES_AT_ONCE === 0) yield;
  }
  return `line ${line}, column ${at - start + 1}`;
}

function* locateError(text: string): Steps<InvalidTextError> {
  const at = yield* findJsonError(text);
  const what = at === text.length ? 'it is incomplete, and ends' : 'unexpected character';
  return new InvalidTextError(`${what} at ${yield* lineAndColumn(text, at)}`);
}

function* parseText(text: string, limits: JsonLimits): Steps<StrictJson> {
  const { metadata, entries } = yield* scanJson(text, limits);
  const body = yield* parseWhole(text, entries);
  if (!isObject(body)) throw new NotAnObjectError();
  return {
    body,
    metadataText: metadata && copyOf(text.slice(metadata.start, metadata.end)),
  };
}

/**
 * Parses a request body strictly: fatal UTF-8, limited depth and number of values, no duplicate keys (at the top, in
 * `urls` and in `object`, because parsers disagree about which one wins), and one object at the top. Depth and values are
 * checked before JSON.parse, which has no limits of its own. `urls` is parsed in batches, so that no step takes long.
 * @throws StrictJsonError, NotAnObjectError, TooManyValuesError
 */
export function* parseStrictJson(bytes: Uint8Array, limits: JsonLimits): Steps<StrictJson> {
  const text = decodeUtf8(bytes);
  yield;
  try {
    return yield* parseText(text, limits);
  } catch (error) {
    if (error instanceof InvalidTextError) throw yield* locateError(text);
    throw error;
  }
}
