import { Ajv } from 'ajv';
import type { FromSchema, JsonSchema } from '#crds/json-schema.ts';
import { decoderOf, type Validator } from './validator.ts';

/** A test validates the schemas, so the meta-schema is not compiled. */
const ajv = new Ajv({ strict: true, discriminator: true, meta: false, validateSchema: false });

/** Compiles the schema. @throws TypeError as the decoders of `decoderOf` */
export function createDecoder<S extends JsonSchema>(schema: S): (value: unknown) => FromSchema<S> {
  return decoderOf<S>(ajv.compile(schema) as Validator);
}
