import { isWhitespace } from './json-text.ts';
import type { Steps } from './steps.ts';

/** What may come next: a value, a value or `]`, a key, a key or `}`, the rest of a string, `:`, and what follows a value. */
type Expected = 'value' | 'firstValue' | 'key' | 'firstKey' | 'string' | 'colon' | 'end';

interface Reader {
  readonly text: string;
  /** For each open container: true for an object. */
  readonly objects: boolean[];
  expected: Expected;
  /** After the string that is being read. */
  afterString: 'colon' | 'end';
}

/** The index after the token that starts here, or the index of the character that does not fit. */
type Read = { readonly next: number } | { readonly wrong: number };

const ESCAPED = '"\\/bfnrt';
const LITERALS = ['true', 'false', 'null'] as const;
/** Characters between two pauses. */
const BATCH_CHARACTERS = 64 * 1024;

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

function isHex(text: string, at: number): boolean {
  return /^[0-9a-fA-F]$/.test(text.charAt(at));
}

/** The index after the escape, or of its first wrong character. */
function readEscape(text: string, at: number): Read {
  const code = text.charAt(at + 1);
  if (code !== '' && ESCAPED.includes(code)) return { next: at + 2 };
  if (code !== 'u') return { wrong: at + 1 };
  for (let digit = at + 2; digit < at + 6; digit += 1) if (!isHex(text, digit)) return { wrong: digit };
  return { next: at + 6 };
}

function openString(reader: Reader, at: number, afterString: Reader['afterString']): Read {
  reader.expected = 'string';
  reader.afterString = afterString;
  return { next: at + 1 };
}

/** The rest of a string, or a part of it: a string can be as long as the body. */
function readString(reader: Reader, start: number): Read {
  const { text } = reader;
  const end = Math.min(text.length, start + BATCH_CHARACTERS);
  let at = start;
  while (at < end) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      reader.expected = reader.afterString;
      return { next: at + 1 };
    }
    if (code < 0x20) return { wrong: at };
    if (code === 0x5c) {
      const escape = readEscape(text, at);
      if ('wrong' in escape) return escape;
      at = escape.next;
    } else at += 1;
  }
  return { next: at };
}

function skipDigits(text: string, start: number): number {
  let at = start;
  while (isDigit(text, at)) at += 1;
  return at;
}

/** One digit or more. */
function readDigits(text: string, start: number): Read {
  const next = skipDigits(text, start);
  return next === start ? { wrong: start } : { next };
}

function readFraction(text: string, at: number): Read {
  return text[at] === '.' ? readDigits(text, at + 1) : { next: at };
}

function readExponent(text: string, at: number): Read {
  if (text[at] !== 'e' && text[at] !== 'E') return { next: at };
  return readDigits(text, text[at + 1] === '+' || text[at + 1] === '-' ? at + 2 : at + 1);
}

function readNumber(text: string, start: number): Read {
  const first = text[start] === '-' ? start + 1 : start;
  const whole = text[first] === '0' ? { next: first + 1 } : readDigits(text, first);
  if ('wrong' in whole) return whole;
  const fraction = readFraction(text, whole.next);
  return 'wrong' in fraction ? fraction : readExponent(text, fraction.next);
}

function readLiteral(text: string, start: number): Read {
  const literal = LITERALS.find((one) => one.startsWith(text.charAt(start))) ?? '';
  for (let index = 0; index < literal.length; index += 1)
    if (text[start + index] !== literal[index]) return { wrong: start + index };
  return literal === '' ? { wrong: start } : { next: start + literal.length };
}

function open(reader: Reader, at: number, isObject: boolean): Read {
  reader.objects.push(isObject);
  reader.expected = isObject ? 'firstKey' : 'firstValue';
  return { next: at + 1 };
}

function close(reader: Reader, at: number): Read {
  reader.objects.pop();
  reader.expected = 'end';
  return { next: at + 1 };
}

function readValue(reader: Reader, at: number): Read {
  const { text } = reader;
  const first = text.charAt(at);
  if (first === '{' || first === '[') return open(reader, at, first === '{');
  if (first === ']' && reader.expected === 'firstValue') return close(reader, at);
  if (first === '"') return openString(reader, at, 'end');
  reader.expected = 'end';
  return first === '-' || isDigit(text, at) ? readNumber(text, at) : readLiteral(text, at);
}

function readKey(reader: Reader, at: number): Read {
  const first = reader.text.charAt(at);
  if (first === '}' && reader.expected === 'firstKey') return close(reader, at);
  return first === '"' ? openString(reader, at, 'colon') : { wrong: at };
}

function readEnd(reader: Reader, at: number): Read {
  const inObject = reader.objects.at(-1);
  const first = reader.text.charAt(at);
  if (inObject !== undefined && first === ',') {
    reader.expected = inObject ? 'key' : 'value';
    return { next: at + 1 };
  }
  if (inObject !== undefined && first === (inObject ? '}' : ']')) return close(reader, at);
  return { wrong: at };
}

function readToken(reader: Reader, at: number): Read {
  switch (reader.expected) {
    case 'value':
    case 'firstValue':
      return readValue(reader, at);
    case 'key':
    case 'firstKey':
      return readKey(reader, at);
    case 'string':
      return readString(reader, at);
    case 'end':
      return readEnd(reader, at);
    case 'colon':
      reader.expected = 'value';
      return reader.text[at] === ':' ? { next: at + 1 } : { wrong: at };
  }
}

/**
 * Index of the first character that no JSON text can have there, or the length of a text that ends too early. The messages of
 * JSON.parse quote the text, and not all have a position.
 */
export function* findJsonError(text: string): Steps<number> {
  const reader: Reader = { text, objects: [], expected: 'value', afterString: 'end' };
  let pauseAt = BATCH_CHARACTERS;
  for (let at = 0; at < text.length; ) {
    if (reader.expected !== 'string' && isWhitespace(text.charCodeAt(at))) at += 1;
    else {
      const read = readToken(reader, at);
      if ('wrong' in read) return read.wrong;
      at = read.next;
    }
    if (at < pauseAt) continue;
    yield;
    pauseAt = at + BATCH_CHARACTERS;
  }
  return text.length;
}
