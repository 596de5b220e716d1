import { Ajv } from 'ajv';
import { expect } from 'chai';
import { TERMINATION_MESSAGE_SCHEMA } from '#crds/termination-message.ts';
import { ZIPPER_TASK_SCHEMA, type ZipperTask } from '#crds/zipper-task.ts';

describe('the schemas of the contract', () => {
  for (const [name, schema] of Object.entries({ ZIPPER_TASK_SCHEMA, TERMINATION_MESSAGE_SCHEMA }))
    it(`${name} is a valid JSON Schema`, () => {
      const ajv = new Ajv({ strict: true, discriminator: true });
      expect(ajv.validateSchema(schema), ajv.errorsText()).to.equal(true);
    });

  it('give the types of the documents', () => {
    const bucket = { service: 's3', name: 'b' } as const;
    const check: ZipperTask = { contractVersion: 1, mode: 'check-bucket', bucket };
    const recovery = { contractVersion: 1, mode: 'recover', bucket, key: 'k', attempt: 'p' } as const;
    // @ts-expect-error: an upload that is recorded has an ID
    const incomplete: ZipperTask = { ...recovery, since: '2026-01-01T00:00:00Z', uploadState: 'open' };
    // @ts-expect-error: an optional field is absent, never undefined
    const undefinedField: ZipperTask = { ...check, bucket: { ...bucket, region: undefined } };
    expect([incomplete, undefinedField]).to.have.lengthOf(2);
  });
});
