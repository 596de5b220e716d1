/** Files in buckets of the project, from the request to the ZipJob. */
import { expect } from 'chai';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import { checkBody } from '#test/support/builders/check-body.ts';
import {
  A_REQUEST,
  type ApiServer,
  aBucket,
  aProject,
  startApiServer,
} from '#test/support/servers/api-server.ts';

const [file] = A_REQUEST.urls;

function bodyOf(...urls: readonly string[]) {
  return { ...A_REQUEST, urls: [file, ...urls.map((url, n) => ({ url, filename: `${n}` }))] };
}

function readable(name: string, namespace = 'team-a'): ZipBucket {
  const bucket = aBucket(namespace, 's3', name);
  return { ...bucket, spec: { ...bucket.spec, readable: true } };
}

describe('files in buckets', () => {
  let api: ApiServer;
  before(async () => {
    api = await startApiServer();
    for (const bucket of [readable('one'), readable('two'), aBucket('team-a', 's3', 'written')])
      api.buckets.put(bucket);
    api.projects.put(aProject('team-b'));
    api.buckets.put(readable('foreign', 'team-b'));
  });
  after(async () => {
    await api[Symbol.asyncDispose]();
  });

  it('become buckets of the ZipJob, once each and sorted (SB2)', async () => {
    const response = await api.post(bodyOf('s3://two/a?b', 's3://one/c d', 's3://two/e'));
    expect(response.status, response.text).to.equal(201);
    expect(api.jobs.all().at(-1)?.spec).to.deep.include({ sourceBuckets: ['s3-one', 's3-two'] });
  });

  it('leave the ZipJob of a request without them as it was (SB2)', async () => {
    const response = await api.post(bodyOf());
    expect(response.status).to.equal(201);
    expect(api.jobs.all().at(-1)?.spec).to.not.have.property('sourceBuckets');
  });

  it('are refused if the project does not have the bucket, also if another project has it (SB3)', async () => {
    const replies = [];
    for (const name of ['foreign', 'nowhere']) {
      const { status, body } = await api.post(bodyOf('s3://one/a', `s3://${name}/b`));
      expect(body.error).to.include({ code: 'resource_not_found', param: 'urls' });
      replies.push([status, body.error?.message.replaceAll(name, 'NAME')]);
    }
    expect(replies[0]).to.deep.equal(replies[1]);
    expect(replies[0]).to.deep.equal([
      404,
      'urls[2].url names bucket "NAME" (s3), which was not found in this project. Correct the URL, or add the bucket to the project.',
    ]);
  });

  it('are refused if the bucket is not readable, with what to do (SB3)', async () => {
    const { status, body } = await api.post(bodyOf('s3://written/a'));
    expect(status).to.equal(422);
    expect(body.error).to.include({
      code: 'parameter_invalid',
      param: 'urls',
      message:
        'urls[1].url names bucket "written" (s3), which is not readable. Ask an admin of the project to set "readable" of the bucket.',
    });
  });

  it('have no headers, because the request to the store is signed (SB1)', () => {
    const urls = [{ url: 's3://one/a', filename: 'a', headers: { authorization: 'x' } }];
    expect(() => checkBody({ ...A_REQUEST, urls })).to.throw(
      'urls[0].headers cannot be sent: zipjobs signs the request to a bucket. Remove them.',
    );
  });

  it('can be in eight buckets, and not in nine (SB2)', () => {
    const limits = { maxFiles: 20, maxUrlLength: 200, maxKeyBytes: 1_024, maxMetadataBytes: 16_384 };
    function check(buckets: number) {
      const urls = Array.from({ length: buckets }, (_, n) => `s3://bucket-${n}/a`);
      return checkBody(bodyOf('s3://bucket-0/b', ...urls), {}, { limits });
    }
    expect(check(8).files).to.have.length(10);
    expect(() => check(9)).to.throw(/^urls\[10\]\.url names one bucket too many: .* at most 8 buckets/);
  });

  it('have the expectations of any file (SB1)', () => {
    const entry = { url: 's3://one/a', filename: 'a', size: 1, crc32: '00000000' };
    expect(checkBody({ ...A_REQUEST, urls: [entry] }).files).to.deep.equal([entry]);
  });
});
