import { expect } from 'chai';
import type { ZipBucketSpec } from '#crds/zip-bucket.ts';
import { dispositionOf, signedDownload } from '#dashboard/jobs/signed-download.ts';
import { locateStore } from '#runtime/store/store-location.ts';

const SECRET = 'the-secret-access-key';

async function sign(
  { bucketName, ...place }: ZipBucketSpec,
  key = 'a/b c.zip',
  sessionToken = '',
): Promise<URL> {
  const store = locateStore({ name: bucketName, ...place }, { allowedHosts: ['127.0.0.1'], allowHttp: true });
  const credentials = { accessKeyId: 'AKID', secretAccessKey: SECRET, sessionToken };
  return new URL(await signedDownload({ store, bucketName, key, credentials }));
}

const ACCOUNT = '0123456789abcdef0123456789abcdef';

describe('signedDownload', () => {
  const cases: readonly { readonly name: string; readonly bucket: ZipBucketSpec; readonly want: string }[] = [
    {
      name: 's3 by host',
      bucket: { service: 's3', bucketName: 'files', region: 'eu-central-1' },
      want: 'https://files.s3.eu-central-1.amazonaws.com/a/b%20c.zip',
    },
    {
      name: 's3 by path, when the name of the bucket has dots',
      bucket: { service: 's3', bucketName: 'files.example', region: 'eu-central-1' },
      want: 'https://s3.eu-central-1.amazonaws.com/files.example/a/b%20c.zip',
    },
    {
      name: 'r2',
      bucket: {
        service: 'r2',
        bucketName: 'files',
        host: `${ACCOUNT}.r2.cloudflarestorage.com`,
        accountId: ACCOUNT,
      },
      want: `https://${ACCOUNT}.r2.cloudflarestorage.com/files/a/b%20c.zip`,
    },
    {
      name: 'another store',
      bucket: { service: 's3', bucketName: 'files', region: 'here', endpoint: 'http://127.0.0.1:9000' },
      want: 'http://127.0.0.1:9000/files/a/b%20c.zip',
    },
  ];
  for (const { name, bucket, want } of cases)
    it(`opens one archive for a minute: ${name}`, async () => {
      const url = await sign(bucket);
      expect(`${url.origin}${url.pathname}`).to.equal(want);
      expect(Object.fromEntries(url.searchParams)).to.include({
        'X-Amz-Expires': '60',
        'X-Amz-SignedHeaders': 'host',
        'response-content-type': 'application/zip',
        'response-content-disposition': dispositionOf('a/b c.zip'),
      });
      expect(url.searchParams.get('X-Amz-Signature')).to.match(/^[0-9a-f]{64}$/);
      expect(url.href).to.not.contain(SECRET);
    });

  it('adds the session token of temporary credentials (X21)', async () => {
    const bucket: ZipBucketSpec = { service: 's3', bucketName: 'files', region: 'eu-central-1' };
    async function tokenIn(given: string) {
      return (await sign(bucket, 'a.zip', given)).searchParams.get('X-Amz-Security-Token');
    }
    expect(await tokenIn('the-session-token')).to.equal('the-session-token');
    expect(await tokenIn('')).to.equal(null);
  });

  it('signs every character of a key', async () => {
    const url = await sign(
      { service: 's3', bucketName: 'files', region: 'eu-central-1' },
      `ö '"()*!?#&%.zip`,
    );
    expect(decodeURIComponent(url.pathname)).to.equal(`/ö '"()*!?#&%.zip`);
    expect(url.hash).to.equal('');
  });
});

describe('dispositionOf', () => {
  const cases: readonly (readonly [key: string, want: string])[] = [
    ['a/b/c.zip', `attachment; filename="c.zip"; filename*=UTF-8''c.zip`],
    ['folder/', `attachment; filename="folder"; filename*=UTF-8''folder`],
    ['///', `attachment; filename="archive.zip"; filename*=UTF-8''archive.zip`],
    [
      `ö"\r\nx'(*).zip`,
      `attachment; filename="____x____.zip"; filename*=UTF-8''%C3%B6%22%0D%0Ax%27%28%2A%29.zip`,
    ],
  ];
  for (const [key, want] of cases)
    it(`names the file of ${JSON.stringify(key)}`, () => {
      expect(dispositionOf(key)).to.equal(want);
    });
});
