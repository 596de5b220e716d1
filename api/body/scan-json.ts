import { InvalidTextError, StrictJsonError, TooManyValuesError } from '../errors/strict-json-error.ts';
import type { JsonLimits } from './json-limits.ts';
import { endOfString, isWhitespace, skipScalar, skipWhitespace } from './json-text.ts';
import type { Steps } from './steps.ts';

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The array `urls` of the top-level object. */
export interface EntriesSpan extends Span {
  /** Positions of commas between entries, about every BATCH_CHARACTERS. */
  readonly commas: readonly number[];
}

export interface JsonOutline {
  /** The top-level value `metadata`. */
  readonly metadata: Span | undefined;
  /** Between the brackets of the top-level value `urls`, if it is an array. */
  readonly entries: EntriesSpan | undefined;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Maximum characters of a caller's key in an error message. */
const SHOWN_KEY_LENGTH = 64;
/** Characters between two pauses, and of the entries that are parsed at once. */
const BATCH_CHARACTERS = 64 * 1024;

function decodeKey(text: string, { start, end }: Span): string {
  const inner = text.slice(start + 1, end - 1);
  if (!inner.includes('\\')) return inner;
  try {
    return String(JSON.parse(text.slice(start, end)));
  } catch {
    throw new InvalidTextError();
  }
}

interface Scan {
  readonly text: string;
  readonly limits: JsonLimits;
  /** For each open container: true for an object. */
  readonly objects: boolean[];
  /** The next string is a key of the innermost object. */
  keyNext: boolean;
  /** By depth: the keys seen in the open object there, if parsers must not disagree about them. */
  readonly keys: Set<string>[];
  /** Key of the current top-level member. */
  topKey: string | undefined;
  /** Start of the current top-level value; -1 before it is reached. */
  valueStart: number;
  /** Index after the last character that is not whitespace. */
  lastEnd: number;
  metadata: Span | undefined;
  entries: { readonly start: number; end: number; readonly commas: number[] } | undefined;
  /** Values so far. */
  readonly values: { entry: number; entries: number; others: number };
}

/** Counts keys too: text that is not valid JSON can have keys without values. */
function addKey(seen: Set<string>, key: string, maximum: number): void {
  if (seen.size === maximum) throw new TooManyValuesError();
  if (seen.has(key))
    throw new StrictJsonError(
      `The body contains the key ${JSON.stringify(key.slice(0, SHOWN_KEY_LENGTH))} twice in the same object.`,
    );
  seen.add(key);
}

function atTop(scan: Scan): boolean {
  return scan.objects.length === 1 && scan.objects[0] === true;
}

/** True anywhere in the array `urls` of the top-level object. */
function inUrls({ topKey, objects }: Scan): boolean {
  return topKey === 'urls' && objects[0] === true && objects[1] === false;
}

/** `metadata` is stored as sent, and unknown fields are ignored: no key in them is looked up. */
function hasUniqueKeys(scan: Scan): boolean {
  return atTop(scan) || inUrls(scan) || (scan.topKey === 'object' && scan.objects[0] === true);
}

function onKey(scan: Scan, span: Span): void {
  scan.keyNext = false;
  if (!hasUniqueKeys(scan)) return;
  const { values } = scan.limits;
  const key = decodeKey(scan.text, span);
  const seen = (scan.keys[scan.objects.length] ??= new Set());
  addKey(seen, key, inUrls(scan) && !atTop(scan) ? values.entry : values.others);
  if (!atTop(scan)) return;
  scan.topKey = key;
  scan.valueStart = -1;
}

function endMember(scan: Scan): void {
  if (!atTop(scan) || scan.valueStart === -1) return;
  if (scan.topKey === 'metadata') scan.metadata = { start: scan.valueStart, end: scan.lastEnd };
  scan.valueStart = -1;
}

/** Counts the value that starts here, and records its position if it belongs to a top-level member. */
function onValue(scan: Scan, at: number): void {
  const { values, limits, objects } = scan;
  if (inUrls(scan)) {
    if (objects.length === 2) values.entry = 0;
    values.entry += 1;
    values.entries += 1;
  } else {
    values.others += 1;
  }
  if (
    values.entry > limits.values.entry ||
    values.entries > limits.values.entries ||
    values.others > limits.values.others
  )
    throw new TooManyValuesError();
  if (scan.valueStart === -1 && !scan.keyNext && scan.topKey !== undefined && atTop(scan))
    scan.valueStart = at;
}

function open(scan: Scan, at: number, isObject: boolean): void {
  if (!isObject && atTop(scan) && scan.topKey === 'urls') {
    if (scan.entries !== undefined) throw new InvalidTextError();
    scan.entries = { start: at + 1, end: -1, commas: [] };
  }
  scan.objects.push(isObject);
  const { maxDepth } = scan.limits;
  if (scan.objects.length > maxDepth)
    throw new StrictJsonError(`The body is nested deeper than ${maxDepth} levels.`);
  scan.keyNext = isObject;
  scan.keys[scan.objects.length]?.clear();
}

function close(scan: Scan, at: number): void {
  if (scan.objects.length === 2 && inUrls(scan) && scan.entries !== undefined) scan.entries.end = at;
  endMember(scan);
  scan.objects.pop();
  scan.keyNext = false;
}

function onComma(scan: Scan, at: number): void {
  endMember(scan);
  scan.keyNext = scan.objects.at(-1) === true;
  const { entries, objects } = scan;
  if (entries === undefined || objects.length !== 2 || !inUrls(scan)) return;
  if (at - (entries.commas.at(-1) ?? entries.start) >= BATCH_CHARACTERS) entries.commas.push(at);
}

/** Handles the token at this position and returns the position after it. */
function step(scan: Scan, at: number): number {
  const code = scan.text.charCodeAt(at);
  switch (code) {
    case QUOTE: {
      const end = endOfString(scan.text, at);
      if (scan.keyNext) onKey(scan, { start: at, end });
      else onValue(scan, at);
      return end;
    }
    case OPEN_BRACE:
    case OPEN_BRACKET:
      onValue(scan, at);
      open(scan, at, code === OPEN_BRACE);
      return at + 1;
    case CLOSE_BRACE:
    case CLOSE_BRACKET:
      close(scan, at);
      return at + 1;
    case COMMA:
      onComma(scan, at);
      return at + 1;
    case COLON:
      return at + 1;
    default:
      onValue(scan, at);
      return skipScalar(scan.text, at);
  }
}

function createScan(text: string, limits: JsonLimits): Scan {
  return {
    text,
    limits,
    objects: [],
    keyNext: false,
    keys: [],
    topKey: undefined,
    valueStart: -1,
    lastEnd: 0,
    metadata: undefined,
    entries: undefined,
    values: { entry: 0, entries: 0, others: 0 },
  };
}

/**
 * Scans JSON text once for what JSON.parse does not report: depth, number of values, duplicate keys, and the positions of
 * `metadata` and `urls`. It does not validate the grammar (JSON.parse does that afterwards) and terminates on any text.
 * @throws StrictJsonError, TooManyValuesError
 */
export function* scanJson(text: string, limits: JsonLimits): Steps<JsonOutline> {
  const scan = createScan(text, limits);
  let pauseAt = BATCH_CHARACTERS;
  for (let at = 0; at < text.length; ) {
    if (isWhitespace(text.charCodeAt(at))) {
      at = skipWhitespace(text, at, Math.min(text.length, pauseAt));
    } else {
      at = step(scan, at);
      scan.lastEnd = at;
    }
    if (at >= pauseAt) {
      yield;
      pauseAt = at + BATCH_CHARACTERS;
    }
  }
  if (scan.entries?.end === -1) throw new InvalidTextError();
  return { metadata: scan.metadata, entries: scan.entries };
}
