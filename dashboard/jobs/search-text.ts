import { zipJobName } from '#crds/api-group.ts';
import { isUuid, uuidOfName } from '#crds/zip-job-facts.ts';

/** What a search field asks for. IDs are in lower case. */
export type SearchText =
  | { readonly kind: 'id'; readonly id: string }
  /** The start of an ID, at least `LEAST_ID` characters. */
  | { readonly kind: 'id-prefix'; readonly prefix: string }
  /** A whole key; `*` matches any text. */
  | { readonly kind: 'key'; readonly key: string };

/** Characters of an ID that a list shows, and that one can search for, at least. */
const LEAST_ID = 6;
const ANY_ID = '00000000-0000-0000-0000-000000000000';
const NAME_START = zipJobName('');

/** Whether a text in lower case is the start of an ID. */
function isIdPrefix(text: string): boolean {
  return text.length >= LEAST_ID && isUuid(text + ANY_ID.slice(text.length));
}

/** An ID or its start, also in the name of a ZipJob; every other text is a key. */
export function readSearchText(text: string): SearchText {
  const lower = text.toLowerCase();
  const id = isUuid(lower) ? lower : uuidOfName(lower);
  if (id !== undefined) return { kind: 'id', id };
  const prefix = lower.startsWith(NAME_START) ? lower.slice(NAME_START.length) : lower;
  return isIdPrefix(prefix) ? { kind: 'id-prefix', prefix } : { kind: 'key', key: text };
}

/** Most `*` of a pattern, as in the history: each is a search in every key. */
export const MAX_STARS = 8;

export function starsIn(text: string): number {
  return text.split('*').length - 1;
}

/** Whether a text matches a pattern completely, where `*` is any text. Takes linear time, unlike a regular expression. */
export function matchesPattern(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length)
    return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}
