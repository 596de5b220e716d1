import type { KubeObject, ObjectKey } from '../types.ts';

/** An object as one text: JSON of its layout's number and its values. */
export type Packed = string;

/**
 * Keeps objects as texts of their values. A hundred thousand objects of twenty fields have a million values and objects
 * of their own; as texts they need a quarter of the memory. The names of their fields are kept once per layout.
 */
export interface Packer<T extends KubeObject> {
  /** Undefined for an object of a layout beyond the limits; keep the object itself. */
  pack(object: T): Packed | undefined;
  /** A new object each time. The key has the namespace and the name. */
  unpack(key: ObjectKey, packed: Packed): T;
}

type Json = string | number | boolean | null | readonly Json[] | { readonly [field: string]: Json };

/** Nested fields; `null` where a value belongs. */
type Layout =
  | null
  | readonly Layout[]
  | { readonly names: readonly string[]; readonly fields: readonly Layout[] };

/** Objects at rest of one kind have few layouts: which optional fields are present. */
const MAX_LAYOUTS = 1_000;
/** Each value of a layout costs memory that no limit of a namespace counts. */
const MAX_VALUES = 200;
/** Of each field, this many texts are kept once: the first short ones. */
const MAX_SHARED = 64;
const MAX_SHARED_LENGTH = 100;

interface KnownLayout {
  readonly index: number;
  readonly layout: Layout;
  /** For each value: the texts that are kept once, with their numbers. */
  readonly shared: readonly Map<string, number>[];
  /** For each value: the texts by number. */
  readonly texts: string[][];
}

/** Appends the values in order, and returns the layout as text. These loops are hot: they take half the time of iterators. */
function flatten(value: Json | undefined, values: Json[]): string {
  if (Array.isArray(value)) {
    let text = '[';
    for (const one of value as readonly Json[]) text += `${flatten(one, values)},`;
    return `${text}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const fields = value as Readonly<Record<string, Json | undefined>>;
    let text = '{';
    for (const name in fields)
      if (fields[name] !== undefined) text += `${name.length}:${name}${flatten(fields[name], values)},`;
    return `${text}}`;
  }
  values.push(value ?? null);
  return '.';
}

function layoutOf(value: Json | undefined): Layout {
  if (Array.isArray(value)) return value.map((one: Json) => layoutOf(one));
  if (typeof value !== 'object' || value === null) return null;
  const fields = value as Readonly<Record<string, Json | undefined>>;
  const entries = Object.entries(fields).filter(([, one]) => one !== undefined);
  return { names: entries.map(([name]) => name), fields: entries.map(([, one]) => layoutOf(one)) };
}

/** An assignment to `__proto__` would set the prototype. */
function set(object: Record<string, Json>, name: string, value: Json): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
  else object[name] = value;
}

function rebuild(layout: Layout, next: () => Json): Json {
  if (layout === null) return next();
  if ('names' in layout) {
    const object: Record<string, Json> = {};
    for (let index = 0; index < layout.names.length; index += 1)
      set(object, layout.names[index] ?? '', rebuild(layout.fields[index] ?? null, next));
    return object;
  }
  return layout.map((one) => rebuild(one, next));
}

/** A text that is kept once is an array with its number; no other value is an array. */
function share(known: KnownLayout, position: number, value: Json): Json {
  const shared = known.shared[position];
  if (typeof value !== 'string' || value.length > MAX_SHARED_LENGTH || shared === undefined) return value;
  const found = shared.get(value);
  if (found !== undefined) return [found];
  if (shared.size >= MAX_SHARED) return value;
  const number = shared.size;
  shared.set(value, number);
  known.texts[position]?.push(value);
  return [number];
}

function withoutKey<T extends KubeObject>(object: T): Json {
  const { namespace: _namespace, name: _name, ...metadata } = object.metadata;
  return { ...object, metadata } as unknown as Json;
}

export function createPacker<T extends KubeObject>(): Packer<T> {
  const byText = new Map<string, KnownLayout>();
  const all: KnownLayout[] = [];
  function add(text: string, object: Json, size: number): KnownLayout | undefined {
    if (all.length >= MAX_LAYOUTS) return undefined;
    const known: KnownLayout = {
      index: all.length,
      layout: layoutOf(object),
      shared: Array.from({ length: size }, () => new Map<string, number>()),
      texts: Array.from({ length: size }, () => []),
    };
    all.push(known);
    byText.set(text, known);
    return known;
  }
  return {
    pack: (object) => {
      const json = withoutKey(object);
      const values: Json[] = [0];
      const text = flatten(json, values);
      if (values.length > MAX_VALUES) return undefined;
      const known = byText.get(text) ?? add(text, json, values.length);
      if (!known) return undefined;
      for (let position = 1; position < values.length; position += 1)
        values[position] = share(known, position, values[position] ?? null);
      values[0] = known.index;
      return JSON.stringify(values);
    },
    unpack: (key, packed) => {
      const values = JSON.parse(packed) as Json[];
      const known = all[Number(values[0])];
      if (!known) throw new TypeError(`no layout in ${packed}`);
      let position = 0;
      const object = rebuild(known.layout, () => {
        position += 1;
        const value = values[position] ?? null;
        return Array.isArray(value) ? (known.texts[position]?.[Number(value[0])] ?? '') : value;
      }) as unknown as T;
      const slash = key.indexOf('/');
      const metadata = { ...object.metadata, namespace: key.slice(0, slash), name: key.slice(slash + 1) };
      return { ...object, metadata };
    },
  };
}
