import { expect } from 'chai';
import type { FromSchema, JsonSchema } from '#crds/json-schema.ts';
import { createDecoder } from '#runtime/config/schema-decoder.ts';

describe('createDecoder', () => {
  const schema = {
    type: 'object',
    required: ['name', 'counts'],
    properties: {
      name: { enum: ['a', 'b'] },
      counts: { type: 'object', additionalProperties: { type: 'integer' } },
      list: { type: 'array', items: { type: 'boolean' } },
    },
  } as const satisfies JsonSchema;
  const decode = createDecoder(schema);

  it('returns the value with the type of the schema', () => {
    const value: FromSchema<typeof schema> = { name: 'a', counts: { x: 1 }, list: [true] };
    expect(decode(value)).to.equal(value);
  });

  it('names the place of the first fault', () => {
    expect(() => decode({ name: 'a', counts: { x: 'y' } })).to.throw(TypeError, '/counts/x must be integer');
    expect(() => decode({ name: 'a' })).to.throw(TypeError, "it must have required property 'counts'");
  });
});
