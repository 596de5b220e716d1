/** Changes of an object, derived from its OpenAPI schema: every field that it lacks is added, and every value is replaced. */

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly oneOf?: readonly Schema[];
}

export type Schemas = Readonly<Record<string, Schema>>;

type Path = readonly (string | number)[];

export interface Change {
  readonly path: Path;
  readonly value: unknown;
  /** Undefined if the change replaces a value. */
  readonly added?: AddedField;
}

type Changes = Generator<Change, void, undefined>;
type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field that is added to an object, and the schema of that object. */
export interface AddedField {
  readonly kind: string;
  readonly field: string;
}

function kindOf(schema: Schema): string | undefined {
  return (schema.$ref ?? schema.allOf?.[0]?.$ref)?.split('/').at(-1);
}

function other(value: unknown, schema: Schema): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (schema.oneOf) return '3';
  return schema.enum?.find((one) => one !== value) ?? `${String(value)}x`;
}

function scalar({ type, format, enum: values, oneOf }: Schema): unknown {
  if (type === 'integer' || type === 'number') return 1;
  if (type === 'boolean') return true;
  if (format === 'date-time') return '2026-01-01T00:00:00Z';
  return values?.[0] ?? (oneOf ? '1' : 'x');
}

/** @param samples values by the name of the field, where the API server refuses what the type permits */
export function createChanges(schemas: Schemas, samples: Fields) {
  function resolve(schema: Schema): Schema {
    const target = schemas[kindOf(schema) ?? ''];
    return target === undefined ? schema : resolve(target);
  }

  function sample(name: string, schema: Schema): unknown {
    if (Object.hasOwn(samples, name)) return samples[name];
    const { type, items } = resolve(schema);
    if (type === 'object') return required(schema);
    if (type === 'array') return items ? [sample(name, items)] : [];
    return scalar(resolve(schema));
  }
  /** An object with its required fields only. */
  function required(schema: Schema): Fields {
    const { properties = {}, required: names = [] } = resolve(schema);
    const wanted = Object.entries(properties).filter(([field]) => names.includes(field));
    return Object.fromEntries(wanted.map(([field, one]) => [field, sample(field, one)]));
  }

  /** New items of a list: one with each optional field. */
  function* newItems(schema: Schema, path: Path): Changes {
    const { properties, required: names = [] } = resolve(schema);
    if (properties === undefined) yield { path, value: sample('', schema) };
    for (const [field, one] of Object.entries(properties ?? {}))
      if (!names.includes(field)) {
        const value = { ...required(schema), [field]: sample(field, one) };
        yield { path, value, added: { kind: kindOf(schema) ?? '', field } };
      }
  }

  function* fields(schema: Schema, value: Fields, path: Path): Changes {
    for (const [field, one] of Object.entries(resolve(schema).properties ?? {})) {
      const added = { kind: kindOf(schema) ?? '', field };
      if (value[field] === undefined) yield { path: [...path, field], value: sample(field, one), added };
      else yield* changes(one, value[field], [...path, field]);
    }
  }

  function* entries(schema: Schema, value: Fields, path: Path): Changes {
    yield { path: [...path, 'example.com/x'], value: sample('', schema) };
    for (const [name, one] of Object.entries(value)) yield* changes(schema, one, [...path, name]);
  }

  function* changes(schema: Schema, value: unknown, path: Path): Changes {
    const { properties, items, additionalProperties } = resolve(schema);
    if (Array.isArray(value) && items) {
      for (const [index, one] of value.entries()) yield* changes(items, one, [...path, index]);
      yield* newItems(items, [...path, value.length]);
    } else if (isFields(value) && properties) yield* fields(schema, value, path);
    else if (isFields(value) && additionalProperties) yield* entries(additionalProperties, value, path);
    else yield { path, value: other(value, resolve(schema)) };
  }
  return (kind: string, value: unknown, path: Path): readonly Change[] => {
    if (schemas[kind] === undefined) throw new Error(`the API server describes no ${kind}`);
    return [...changes({ $ref: kind }, value, path)];
  };
}

/** Applies a change to a copy of an object. */
export function changed<T>(object: T, { path, value }: Change): T {
  const copy = structuredClone(object);
  let parent = copy as Record<string, unknown>;
  for (const step of path.slice(0, -1)) parent = parent[step] as Record<string, unknown>;
  parent[path.at(-1) ?? ''] = value;
  return copy;
}

/** The value at a path, or undefined. */
export function valueAt(object: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, step) => (value as Fields | undefined)?.[step], object);
}
