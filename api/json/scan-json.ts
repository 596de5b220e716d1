import { StrictJsonError } from './strict-json-error.ts';

export interface Span {
  readonly start: number;
  readonly end: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Maximum characters of a caller's key in an error message. */
const SHOWN_KEY_LENGTH = 64;

/** Index after the closing quote of the string that opens at `open`; the end of the text when it is never closed. */
const endOfString = (text: string, open: number): number => {
  for (let from = open + 1; ; ) {
    const quote = text.indexOf('"', from);
    if (quote === -1) return text.length;
    let first = quote;
    while (first > from && text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    if ((quote - first) % 2 === 0) return quote + 1;
    from = quote + 1;
  }
};

const decodeKey = (text: string, { start, end }: Span): string => {
  const inner = text.slice(start + 1, end - 1);
  if (!inner.includes('\\')) return inner;
  try {
    return String(JSON.parse(text.slice(start, end)));
  } catch {
    throw new StrictJsonError('The body is not valid JSON.');
  }
};

interface Scan {
  readonly text: string;
  /** For each open container: true for an object. */
  readonly objects: boolean[];
  /** The next string is a key of the innermost object. */
  keyNext: boolean;
  /** Keys seen in the top-level object. */
  readonly topKeys: Set<string>;
  /** Keys seen in the current entry of `urls`. */
  readonly entryKeys: Set<string>;
  /** Key of the current top-level member. */
  topKey: string | undefined;
  /** Start of the current top-level value; -1 before it is reached. */
  valueStart: number;
  /** Index after the last character that is not whitespace. */
  lastEnd: number;
  metadata: Span | undefined;
}

const refuseDuplicate = (seen: Set<string>, key: string): void => {
  if (seen.has(key))
    throw new StrictJsonError(
      `The body contains the key ${JSON.stringify(key.slice(0, SHOWN_KEY_LENGTH))} twice in the same object.`,
    );
  seen.add(key);
};

const atTop = (scan: Scan): boolean => scan.objects.length === 1 && scan.objects[0] === true;

/** True in an object that is an element of the array `urls` of the top-level object. */
const inEntry = (scan: Scan): boolean =>
  scan.objects.length === 3 &&
  scan.topKey === 'urls' &&
  scan.objects[0] === true &&
  scan.objects[1] === false &&
  scan.objects[2] === true;

const onKey = (scan: Scan, span: Span): void => {
  scan.keyNext = false;
  if (atTop(scan)) {
    const key = decodeKey(scan.text, span);
    refuseDuplicate(scan.topKeys, key);
    scan.topKey = key;
    scan.valueStart = -1;
  } else if (inEntry(scan)) {
    refuseDuplicate(scan.entryKeys, decodeKey(scan.text, span));
  }
};

const endMember = (scan: Scan): void => {
  if (!atTop(scan) || scan.valueStart === -1) return;
  if (scan.topKey === 'metadata') scan.metadata = { start: scan.valueStart, end: scan.lastEnd };
  scan.valueStart = -1;
};

/** Records the start of a top-level value: its first character after the colon. */
const noteValue = (scan: Scan, at: number): void => {
  if (scan.valueStart === -1 && !scan.keyNext && scan.topKey !== undefined && atTop(scan))
    scan.valueStart = at;
};

const open = (scan: Scan, isObject: boolean, maxDepth: number): void => {
  scan.objects.push(isObject);
  if (scan.objects.length > maxDepth)
    throw new StrictJsonError(`The body is nested deeper than ${maxDepth} levels.`);
  scan.keyNext = isObject;
  if (inEntry(scan)) scan.entryKeys.clear();
};

const step = (scan: Scan, at: number, maxDepth: number): number => {
  const code = scan.text.charCodeAt(at);
  switch (code) {
    case QUOTE: {
      const end = endOfString(scan.text, at);
      if (scan.keyNext) onKey(scan, { start: at, end });
      else noteValue(scan, at);
      return end;
    }
    case OPEN_BRACE:
    case OPEN_BRACKET:
      noteValue(scan, at);
      open(scan, code === OPEN_BRACE, maxDepth);
      return at + 1;
    case CLOSE_BRACE:
    case CLOSE_BRACKET:
      endMember(scan);
      scan.objects.pop();
      scan.keyNext = false;
      return at + 1;
    case COMMA:
      endMember(scan);
      scan.keyNext = scan.objects.at(-1) === true;
      return at + 1;
    case COLON:
      return at + 1;
    default:
      noteValue(scan, at);
      return at + 1;
  }
};

const isWhitespace = (code: number): boolean =>
  code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/**
 * Scans JSON text once for what JSON.parse does not report: depth, duplicate keys, and the position of the
 * top-level `metadata` value. It does not validate the grammar (JSON.parse does that afterwards) and terminates on any
 * text.
 * @throws StrictJsonError
 */
export const scanJson = (text: string, maxDepth: number): { readonly metadata: Span | undefined } => {
  const scan: Scan = {
    text,
    objects: [],
    keyNext: false,
    topKeys: new Set(),
    entryKeys: new Set(),
    topKey: undefined,
    valueStart: -1,
    lastEnd: 0,
    metadata: undefined,
  };
  for (let at = 0; at < text.length; ) {
    if (isWhitespace(text.charCodeAt(at))) {
      at += 1;
    } else {
      at = step(scan, at, maxDepth);
      scan.lastEnd = at;
    }
  }
  return { metadata: scan.metadata };
};
