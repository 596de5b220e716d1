import type { FromSchema, JsonSchema } from '#crds/json-schema.ts';

interface Fault {
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

/** A function that Ajv compiled from a schema, at this start or before. */
export interface Validator {
  (value: unknown): boolean;
  errors?: readonly Fault[] | null;
}

/** Checks values with a validator of the schema. @throws TypeError with the first fault, such as `/files/count must be integer`. */
export function decoderOf<S extends JsonSchema>(isValid: Validator) {
  return (value: unknown): FromSchema<S> => {
    if (isValid(value)) return value as FromSchema<S>;
    const fault = isValid.errors?.[0];
    throw new TypeError(`${fault?.instancePath || 'it'} ${fault?.message ?? 'is invalid'}`);
  };
}
