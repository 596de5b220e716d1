import { Ajv } from 'ajv';
import type { FromSchema, JsonSchema } from '#crds/json-schema.ts';

/**
 * Every zipper compiles its task's schema at its start, and uses it once. So the meta-schema is not compiled (a test validates
 * the schemas), and the generated code is not optimized, which takes a third of the time.
 */
const ajv = new Ajv({
  strict: true,
  discriminator: true,
  meta: false,
  validateSchema: false,
  code: { optimize: false },
});

/** Checks values against a schema. @throws TypeError with the first fault, such as `/files/count must be integer`. */
export const createDecoder = <S extends JsonSchema>(schema: S): ((value: unknown) => FromSchema<S>) => {
  const isValid = ajv.compile<FromSchema<S>>(schema);
  return (value) => {
    if (isValid(value)) return value;
    const fault = isValid.errors?.[0];
    throw new TypeError(`${fault?.instancePath || 'it'} ${fault?.message ?? 'is invalid'}`);
  };
};
