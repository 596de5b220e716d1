import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** The part of a schema of Kubernetes that the fields of a form are made from. */
export interface OptionSchema {
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  /** In characters. */
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, OptionSchema>>;
  readonly additionalProperties?: unknown;
}

interface Definition {
  readonly spec: {
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: OptionSchema } }[];
  };
}

const DEFINITION = join(import.meta.dirname, '../../crds/zipprojects.yaml');

/** The schema of `spec.jobDefaults`, as the API server has it. */
export function readJobDefaultsSchema(): OptionSchema {
  const { spec } = parse(readFileSync(DEFINITION, 'utf8')) as Definition;
  const schema = spec.versions[0]?.schema.openAPIV3Schema.properties?.['spec']?.properties?.['jobDefaults'];
  if (schema === undefined) throw new Error(`${DEFINITION} has no schema of spec.jobDefaults`);
  return schema;
}
