import { isRecord } from '#runtime/kube/client/decode.ts';
import type { Schema } from '../document-types.ts';
import { nameOfRef } from '../schemas/schema-ref.ts';

export interface SchemaRow {
  /** Path of the field, such as `urls[].url`. */
  readonly path: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
  readonly rules: string;
}

const RULES: Readonly<Record<string, (value: unknown) => string>> = {
  enum: (value) => (Array.isArray(value) ? `one of ${value.join(', ')}` : ''),
  const: (value) => `always ${String(value)}`,
  default: (value) => `default ${String(value)}`,
  minItems: (value) => `at least ${String(value)}`,
  maxItems: (value) => `at most ${String(value)}`,
  maxLength: (value) => `at most ${String(value)} characters`,
};

function rulesOf(schema: Schema): string {
  return Object.entries(RULES)
    .filter(([keyword]) => schema[keyword] !== undefined)
    .map(([keyword, ruleOf]) => ruleOf(schema[keyword]))
    .join('; ');
}

export type Schemas = Readonly<Record<string, Schema>>;

/** The schema that a reference names, with the keywords beside the reference. */
export function resolve(schema: Schema, schemas: Schemas): Schema {
  const { $ref, ...more } = schema;
  const named = typeof $ref === 'string' ? schemas[nameOfRef($ref)] : undefined;
  return named === undefined ? schema : { ...named, ...more };
}

/** `oneOf: [schema, null]` as a schema with both types. */
function withoutUnion(schema: Schema, schemas: Schemas): Schema {
  const { oneOf, ...more } = schema;
  if (!Array.isArray(oneOf)) return resolve(schema, schemas);
  const [first = {}] = oneOf as readonly Schema[];
  const one = resolve(first, schemas);
  return { ...one, ...more, type: [one['type'], 'null'] };
}

function typeOf({ type }: Schema): string {
  if (Array.isArray(type)) return type.join(' or ');
  return typeof type === 'string' ? type : 'string';
}

/** Tables with more values, such as the failure codes, are elsewhere on the page. */
const MAX_LISTED_VALUES = 12;

function withFewValues(schema: Schema): Schema {
  const { enum: values, ...more } = schema;
  return Array.isArray(values) && values.length > MAX_LISTED_VALUES ? more : schema;
}

/** One row per field of an object schema, including nested fields. */
export function schemaRows(schema: Schema, schemas: Schemas, parent = ''): readonly SchemaRow[] {
  const { properties, required } = schema;
  if (!isRecord(properties)) return [];
  return Object.entries(properties).flatMap(([name, value]): readonly SchemaRow[] => {
    if (!isRecord(value)) return [];
    const field = withoutUnion(value, schemas);
    const path = `${parent}${name}`;
    const row = {
      path,
      type: typeOf(field),
      isRequired: Array.isArray(required) && required.includes(name),
      description: typeof field['description'] === 'string' ? field['description'] : '',
      rules: rulesOf(withFewValues(field)),
    };
    const inner = isRecord(field['items'])
      ? schemaRows(resolve(field['items'], schemas), schemas, `${path}[].`)
      : schemaRows(field, schemas, `${path}.`);
    return [row, ...inner];
  });
}
