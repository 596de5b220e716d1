import { isRecord } from '#runtime/kube/decode.ts';
import type { Schema } from '../document-types.ts';

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

const typeOf = ({ type }: Schema): string => {
  if (Array.isArray(type)) return type.join(' or ');
  return typeof type === 'string' ? type : 'string';
};

const rulesOf = (schema: Schema): string =>
  Object.entries(RULES)
    .filter(([keyword]) => schema[keyword] !== undefined)
    .map(([keyword, ruleOf]) => ruleOf(schema[keyword]))
    .join('; ');

/** One row per field of an object schema, including nested fields. */
export const schemaRows = (schema: Schema, parent = ''): readonly SchemaRow[] => {
  const { properties, required } = schema;
  if (!isRecord(properties)) return [];
  return Object.entries(properties).flatMap(([name, field]): readonly SchemaRow[] => {
    if (!isRecord(field)) return [];
    const path = `${parent}${name}`;
    const row = {
      path,
      type: typeOf(field),
      isRequired: Array.isArray(required) && required.includes(name),
      description: typeof field['description'] === 'string' ? field['description'] : '',
      rules: rulesOf(field),
    };
    const inner = isRecord(field['items'])
      ? schemaRows(field['items'], `${path}[].`)
      : schemaRows(field, `${path}.`);
    return [row, ...inner];
  });
};
