/** What strict parsing must decide, computed in another way: JSON.parse, and one pass over tokens of valid text. */
import { isUtf8 } from 'node:buffer';
import type { JsonLimits } from '#api/body/json-limits.ts';

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

interface Container {
  readonly isObject: boolean;
  readonly keys: Set<string>;
  /** `known`: the value of `urls` or `object`, and everything inside. */
  readonly place: 'top' | 'known' | 'other';
}

function placeOf(outer: Container | undefined, key: string, isObject: boolean): Container['place'] {
  if (outer === undefined) return 'top';
  if (outer.place !== 'top') return outer.place;
  return outer.isObject && ((key === 'urls' && !isObject) || key === 'object') ? 'known' : 'other';
}

/** False if the object that is open has this key already, where that counts. */
function addKey({ place, keys }: Container, name: string): boolean {
  if (place !== 'other' && keys.has(name)) return false;
  keys.add(name);
  return true;
}

/** True if valid JSON text breaks no rule of strict parsing. The numbers of values are checked elsewhere. */
function followsRules(text: string, { maxDepth }: JsonLimits): boolean {
  const open: Container[] = [];
  let topKey = '';
  function follows(token: string, next: string | undefined): boolean {
    const inner = open.at(-1);
    if ('{['.includes(token)) {
      const isObject = token === '{';
      return open.push({ isObject, keys: new Set(), place: placeOf(inner, topKey, isObject) }) <= maxDepth;
    }
    if ('}]'.includes(token)) open.pop();
    if (inner?.isObject !== true || next !== ':') return true;
    const name = String(JSON.parse(token));
    if (inner.place === 'top') topKey = name;
    return addKey(inner, name);
  }
  const tokens = text.match(TOKEN) ?? [];
  return tokens.every((token, index) => follows(token, tokens[index + 1]));
}

export type Expected =
  | { readonly isAccepted: false }
  | { readonly isAccepted: true; readonly value: unknown };

/** Whether a body is accepted, and its value. */
export function expectedOf(bytes: Buffer, limits: JsonLimits): Expected {
  const text = new TextDecoder().decode(bytes);
  const result = parsed(text);
  if (result === undefined || !isUtf8(bytes)) return { isAccepted: false };
  const { value } = result;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && followsRules(text, limits) ? { isAccepted: true, value } : { isAccepted: false };
}
