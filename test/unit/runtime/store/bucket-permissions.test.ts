import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { ObjectOptions } from '#crds/zip-bucket.ts';
import { bucketPermissions, iamPolicy, missingIn, missingText } from '#runtime/store/bucket-permissions.ts';
import { READ_PERMISSION } from '#zipper-image/store/evidence.ts';
import { OPTION_PERMISSIONS } from '#zipper-image/store/object-headers.ts';
import { ABORT_PERMISSION } from '#zipper-image/store/recover-upload.ts';

const ALL_OPTIONS: ObjectOptions = { tags: { a: 'b' }, acl: 'private', serverSideEncryption: 'aws:kms' };

function actionsOf(options: ObjectOptions): readonly string[] {
  return bucketPermissions(options, false).flatMap(({ actions }) => actions);
}

describe('the permissions of a bucket', () => {
  it('are those of the IAM policy in the README', async () => {
    const readme = await readFile('README.md', 'utf8');
    const [, policy = ''] = /```json\n(\{\n {2}"Version".*?)```/s.exec(readme) ?? [];
    expect(JSON.parse(policy)).to.deep.equal(JSON.parse(iamPolicy({ bucketName: 'reports' })));
  });

  it('include every permission that the test of a bucket reports as missing', async () => {
    const code = await readFile('zipper-image/tasks/check-bucket.ts', 'utf8');
    const literals = [...code.matchAll(/'((?:s3|kms):[A-Za-z]+)'/g)].map(([, action = '']) => action);
    expect(literals).to.include('s3:ListBucketMultipartUploads');
    const reported = [
      ...literals,
      ABORT_PERMISSION,
      ...READ_PERMISSION.split(' and '),
      ...Object.values(OPTION_PERMISSIONS),
    ];
    expect(actionsOf(ALL_OPTIONS)).to.include.members(reported);
  });

  it('depend on the object options', () => {
    expect(actionsOf({ tags: {} })).to.deep.equal(actionsOf({}));
    expect(actionsOf({ serverSideEncryption: 'AES256' })).to.deep.equal(actionsOf({}));
    expect(actionsOf(ALL_OPTIONS)).to.include.members([
      's3:PutObjectTagging',
      's3:PutObjectAcl',
      'kms:Decrypt',
    ]);
  });

  it('are the same for a readable bucket, which needs s3:GetObject for the files of jobs (SZ4)', () => {
    const [writeOnly, readable] = [false, true].map((isReadable) => bucketPermissions({}, isReadable));
    expect(readable?.map(({ actions }) => actions)).to.deep.equal(writeOnly?.map(({ actions }) => actions));
    const changed = readable?.filter((one, index) => one !== writeOnly?.[index]);
    expect(changed?.map(({ actions, isRequired }) => [...actions, isRequired])).to.deep.equal([
      ['s3:GetObject', true],
    ]);
    expect(changed?.[0]?.use).to.match(/^Read files of jobs/);
  });

  it('name the KMS key only by its ARN', () => {
    function policyOf(kmsKeyId: string): string {
      return iamPolicy({
        bucketName: 'a',
        region: 'eu-central-1',
        objectOptions: { serverSideEncryption: 'aws:kms', kmsKeyId },
      });
    }
    const arn = 'arn:aws:kms:eu-central-1:111122223333:key/0-1';
    expect(policyOf(arn)).to.contain(`"Resource": "${arn}"`);
    expect(policyOf('alias/a')).to.contain('"Resource": "arn:aws:kms:eu-central-1:ACCOUNT_ID:key/KEY_ID"');
  });

  it('have the ARNs of the partition of the region', () => {
    expect(iamPolicy({ bucketName: 'a', region: 'cn-north-1' })).to.contain('"arn:aws-cn:s3:::a"');
    expect(iamPolicy({ bucketName: 'a', region: 'us-gov-west-1' })).to.contain('"arn:aws-us-gov:s3:::a"');
  });

  it('that are missing can be read from the message of a condition', () => {
    const missing = ['s3:GetObject and s3:ListBucket', 'kms:Decrypt'];
    expect(missingText([])).to.equal('');
    expect(missingIn(`Archives can be written.${missingText(missing)}`)).to.deep.equal([
      's3:GetObject',
      's3:ListBucket',
      'kms:Decrypt',
    ]);
    expect(missingIn('403: not authorized to perform: s3:PutObject')).to.deep.equal([]);
  });
});
