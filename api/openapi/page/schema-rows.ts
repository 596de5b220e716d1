import { isRecord } from '#runtime/kube/client/decode.ts';
import type { Schema } from '../document-types.ts';
import { grouped } from '../grouped.ts';
import { nameOfRef } from '../schemas/schema-ref.ts';

export interface SchemaRow {
  /** Path of the field, such as `urls[].url`. */
  readonly path: string;
  /** Such as `string or null`, or the possible values: `s3 | r2`. */
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
  readonly rules: string;
}

function figure(value: unknown): string {
  return grouped(Number(value));
}

const RULES: Readonly<Record<string, (value: unknown) => string>> = {
  default: (value) => `default ${String(value)}`,
  minItems: (value) => `at least ${figure(value)}`,
  maxItems: (value) => `at most ${figure(value)}`,
  maxLength: (value) => `at most ${figure(value)} characters`,
};

/** A description that counts characters is more exact than the longest text of all kinds. */
function isShown(keyword: string, { description, ...schema }: Schema): boolean {
  return (
    schema[keyword] !== undefined && !(keyword === 'maxLength' && String(description).includes(' characters'))
  );
}

function rulesOf(schema: Schema): string {
  return Object.entries(RULES)
    .filter(([keyword]) => isShown(keyword, schema))
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

/** Tables with more values, such as the failure codes, are elsewhere on the page. */
const MAX_LISTED_VALUES = 12;

/** The type, or the possible values. */
function typeOf({ type, enum: values }: Schema): string {
  if (Array.isArray(values) && values.length <= MAX_LISTED_VALUES) return values.join(' | ');
  if (Array.isArray(type)) return type.join(' or ');
  return typeof type === 'string' ? type : 'string';
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
      rules: rulesOf(field),
    };
    const inner = isRecord(field['items'])
      ? schemaRows(resolve(field['items'], schemas), schemas, `${path}[].`)
      : schemaRows(field, schemas, `${path}.`);
    return [row, ...inner];
  });
}
