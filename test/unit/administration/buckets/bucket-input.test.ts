import { expect } from 'chai';
import { checkCredentials, checkNewBucket, type NewBucket } from '#administration/buckets/bucket-input.ts';
import { AdministrationError } from '#administration/errors/administration-error.ts';
import { certificateText } from '#test/support/servers/tls-front.ts';

const S3: NewBucket = { service: 's3', bucketName: 'reports', region: 'eu-central-1' };
const R2: NewBucket = {
  service: 'r2',
  bucketName: 'reports',
  accountId: '0123abcd',
  host: '0123abcd.r2.cloudflarestorage.com',
};

function refusal(task: () => unknown): AdministrationError {
  try {
    task();
  } catch (error) {
    if (error instanceof AdministrationError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('checkNewBucket', () => {
  it('accepts each service with its own fields only', () => {
    expect(checkNewBucket(S3)).to.deep.equal(S3);
    expect(checkNewBucket(R2)).to.deep.equal(R2);
    const endpoint = 'https://s3.example.com:9000';
    const objectOptions = { storageClass: 'STANDARD_IA' };
    expect(checkNewBucket({ ...S3, endpoint, objectOptions, host: '' })).to.deep.equal({
      ...S3,
      endpoint,
      objectOptions,
    });
    const jurisdiction = '0123abcd.eu.r2.cloudflarestorage.com';
    expect(checkNewBucket({ ...R2, host: jurisdiction })).to.include({ host: jurisdiction });
  });

  it('takes only the certificates from a CA bundle (X22)', () => {
    const ca = certificateText('ca.pem');
    const text = `# Issuer: example\r\n${ca.replaceAll('\n', ' \r\n')}\nnext:\n${ca}`;
    expect(checkNewBucket({ ...S3, caBundle: text })).to.deep.equal({ ...S3, caBundle: `${ca}${ca}` });
  });

  const cases: readonly (readonly [what: string, bucket: NewBucket, field: string, message: RegExp])[] = [
    ['another service', { ...S3, service: 'gcs' }, 'service', /Invalid service "gcs"\. Use s3 or r2/],
    ['an invalid bucket name', { ...S3, bucketName: 'Reports' }, 'bucketName', /3 to 63 lowercase letters/],
    ['a name that is too short', { ...S3, bucketName: 'ab' }, 'bucketName', /3 to 63/],
    ['no region', { ...S3, region: undefined }, 'region', /requires region, such as eu-central-1/],
    ['an empty region', { ...S3, region: '' }, 'region', /requires region/],
    ['an invalid region', { ...S3, region: 'EU Central' }, 'region', /Invalid region "EU Central"/],
    ['a host for S3', { ...S3, host: 'a.b.c' }, 'host', /an s3 bucket has no host/],
    ['a region for R2', { ...R2, region: 'auto' }, 'region', /an r2 bucket has no region/],
    ['no account', { ...R2, accountId: undefined }, 'accountId', /requires accountId/],
    ['no host', { ...R2, host: undefined }, 'host', /requires host, of the form <account id>\.<domain>/],
    ['an invalid account ID', { ...R2, accountId: 'a b' }, 'accountId', /Invalid account ID "a b"/],
    [
      "another account's host",
      { ...R2, accountId: 'ffff' },
      'host',
      /belongs to account "0123abcd", but the account ID is "ffff"/,
    ],
    ['a host without a domain', { ...R2, host: '0123abcd' }, 'host', /Use a host of the form/],
    ['a host with a scheme', { ...R2, host: 'https://0123abcd.r2.test' }, 'host', /without scheme and path/],
    ['a host with an empty label', { ...R2, host: '0123abcd..test' }, 'host', /Use a host of the form/],
    [
      'a CA bundle with a private key (X22)',
      { ...S3, caBundle: certificateText('server.key') },
      'caBundle',
      /^The CA bundle: PEM block 1 is not a certificate$/,
    ],
    [
      'a CA bundle without a certificate (X22)',
      { ...S3, caBundle: '' },
      'caBundle',
      /^The CA bundle contains no certificate in PEM form$/,
    ],
    [
      'a CA bundle that is too large (X22)',
      { ...S3, caBundle: certificateText('ca.pem').repeat(40) },
      'caBundle',
      /bytes of certificates, and at most 16384 are allowed/,
    ],
    [
      'an endpoint without a scheme',
      { ...S3, endpoint: 's3.test' },
      'endpoint',
      /such as https:\/\/s3\.example\.com/,
    ],
    [
      'an endpoint with a path',
      { ...S3, endpoint: 'https://s3.test/x' },
      'endpoint',
      /without user, path or query/,
    ],
    ['an endpoint with a password', { ...S3, endpoint: 'https://a:b@s3.test' }, 'endpoint', /without user/],
  ];
  for (const [what, bucket, field, message] of cases)
    it(`refuses ${what}, and names the field`, () => {
      const error = refusal(() => checkNewBucket(bucket));
      expect(error).to.include({ code: 'InvalidInput', field });
      expect(error.message).to.match(message);
    });
});

describe('checkCredentials', () => {
  it('refuses invalid credentials without repeating them (H9)', () => {
    for (const secretAccessKey of ['', 'two words', 'line\n', 'x'.repeat(513), 'schlüssel']) {
      const error = refusal(() => {
        checkCredentials({ accessKeyId: 'id', secretAccessKey });
      });
      expect(error).to.include({ code: 'InvalidInput', field: 'secretAccessKey' });
      if (secretAccessKey !== '') expect(error.message).not.to.contain(secretAccessKey);
    }
    checkCredentials({ accessKeyId: 'id', secretAccessKey: 'a/b+c=' });
  });
});
