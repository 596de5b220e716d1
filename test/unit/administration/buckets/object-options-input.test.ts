import { expect } from 'chai';
import { type ObjectOptionInput, readObjectOptions } from '#administration/buckets/object-options-input.ts';
import { AdministrationError } from '#administration/errors/administration-error.ts';
import type { StoreKind } from '#runtime/store/store-location.ts';

function refusal(input: ObjectOptionInput, kind: StoreKind = 's3'): AdministrationError {
  try {
    readObjectOptions(input, kind);
  } catch (error) {
    if (error instanceof AdministrationError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('readObjectOptions', () => {
  it('reads name=value pairs, and returns only what is set', () => {
    const input = {
      serverSideEncryption: 'aws:kms',
      kmsKeyId: 'alias/a',
      metadata: 'team=sales, note = a=b,',
      tags: 'empty=',
    };
    expect(readObjectOptions(input, 's3')).to.deep.equal({
      ...input,
      metadata: { team: 'sales', note: 'a=b' },
      tags: { empty: '' },
    });
    expect(readObjectOptions({}, 's3')).to.equal(undefined);
    expect(readObjectOptions({}, 'r2')).to.equal(undefined);
  });

  const cases: readonly (readonly [
    what: string,
    input: ObjectOptionInput,
    field: string,
    message: string,
  ])[] = [
    ['a tag without a value', { tags: 'team' }, 'tags', 'use name=value, such as team=sales'],
    ['a name that is set twice', { tags: 'a=1,a=2' }, 'tags', 'has the same name twice'],
    ['reserved metadata', { metadata: 'zip-attempt=x' }, 'metadata', 'which is reserved'],
    [
      'an unknown encryption',
      { serverSideEncryption: 'none' },
      'serverSideEncryption',
      'must be AES256 or aws:kms',
    ],
    ['an unknown storage class', { storageClass: 'COLD' }, 'storageClass', 'is not supported by S3'],
  ];
  for (const [what, input, field, message] of cases)
    it(`refuses ${what}, and names the field`, () => {
      const error = refusal(input);
      expect(error).to.include({ code: 'InvalidInput', field });
      expect(error.message)
        .to.match(new RegExp(`^objectOptions\\.${field}`))
        .and.to.contain(message);
    });

  it('refuses what R2 cannot do, and names the field (C7)', () => {
    for (const [field, input] of [
      ['serverSideEncryption', { serverSideEncryption: 'aws:kms' }],
      ['tags', { tags: 'a=1' }],
      ['acl', { acl: 'private' }],
      ['storageClass', { storageClass: 'GLACIER' }],
    ] as const) {
      const error = refusal(input, 'r2');
      expect(error).to.include({ code: 'InvalidInput', field });
      expect(error.message).to.contain(`objectOptions.${field} is not supported by R2`);
    }
  });
});
