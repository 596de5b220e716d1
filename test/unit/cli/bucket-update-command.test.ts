import { expect } from 'chai';
import { addBucketCommands } from '#cli/bucket-commands.ts';
import type { ZipBucket, ZipBucketSpec } from '#crds/zip-bucket.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { createObjectsByPath } from '#test/support/builders/objects-by-path.ts';
import { aBucket, aProject } from '#test/support/servers/api-server.ts';
import { certificatePath, certificateText } from '#test/support/servers/tls-front.ts';
import { COLLECTIONS, TEAM } from '#test/support/worlds/dashboard-project.ts';
import { runProgram } from './fake-session.ts';

const NAME = 'reports';

/** An API server with one bucket. */
function start(more: Partial<ZipBucketSpec> = {}) {
  const objects = createObjectsByPath();
  objects.put(COLLECTIONS.projects, aProject(TEAM));
  const plain = aBucket(TEAM, 's3', NAME);
  const bucket: ZipBucket = { ...plain, spec: { ...plain.spec, region: 'eu-central-1', ...more } };
  objects.put(COLLECTIONS.buckets, bucket);
  const patches: unknown[] = [];
  /** What another user does before the next patch, which the API server then refuses. */
  const meanwhile: (() => void)[] = [];
  function run(...args: readonly string[]) {
    return runProgram(
      {
        groups: [addBucketCommands],
        kube: {
          server: 'https://example.test',
          request: async (request) => {
            const change = request.method === 'PATCH' ? meanwhile.shift() : undefined;
            if (change !== undefined) {
              change();
              throw new KubeError('changed', { attempt: 'PATCH /x', code: 'Conflict', httpStatus: 409 });
            }
            const response = await Promise.resolve().then(() => objects.respond(request));
            if (request.method === 'PATCH') patches.push(request.body);
            return response;
          },
          stream: () => Promise.reject(new Error('not faked')),
          [Symbol.asyncDispose]: () => Promise.resolve(),
        },
      },
      ['bucket', ...args, '-n', TEAM],
    );
  }
  function spec(): Readonly<Record<string, unknown>> {
    const stored = objects.get(`${COLLECTIONS.buckets}/${bucket.metadata.name}`)?.['spec'];
    return isRecord(stored) ? stored : {};
  }
  function put(objectOptions: ZipBucketSpec['objectOptions'] & object): void {
    const changed: ZipBucket = { ...bucket, spec: { ...bucket.spec, objectOptions } };
    objects.put(COLLECTIONS.buckets, changed);
  }
  return { run, spec, patches, meanwhile, put };
}

describe('zipjobs bucket update', () => {
  it('makes a bucket readable, and ends that (SB4)', async () => {
    const { run, spec } = start();
    const before = spec();
    const { code, output, errors } = await run('update', NAME, '--readable');
    expect(code, errors).to.equal(0);
    expect(output).to.match(/Readable: +yes/);
    expect(spec()).to.deep.equal({ ...before, readable: true });
    expect((await run('list')).output).to.match(/READABLE[^]* yes /);
    const ended = await run('update', NAME, '--no-readable');
    expect(ended.output).to.match(/Readable: +no/);
    expect(spec()).to.not.have.property('readable', true);
  });

  it('changes the given settings, and keeps the others with the credentials', async () => {
    const objectOptions = { storageClass: 'STANDARD', tags: { 'x=y': ' z' }, metadata: { m: 'a,b' } };
    const webIdentity = { roleArn: 'arn:aws:iam::123456789012:role/reports', audience: 'sts.amazonaws.com' };
    const { run, spec } = start({
      objectOptions,
      endpoint: 'https://s3.example.com',
      credentials: { webIdentity },
    });
    const before = spec();
    const { code, output, errors } = await run('update', NAME, '--storage-class', 'STANDARD_IA');
    expect(code, errors).to.equal(0);
    expect(spec()).to.deep.equal({
      ...before,
      objectOptions: { ...objectOptions, storageClass: 'STANDARD_IA' },
    });
    expect(output)
      .to.contain('STANDARD_IA')
      .and.match(/Role: +arn:aws/);
    expect(errors).to.contain(`Next: zipjobs bucket test ${NAME} -n ${TEAM}`);
  });

  it('sends only the given settings, and keeps what another user saved meanwhile (UI1)', async () => {
    const { run, spec, patches, meanwhile, put } = start({ objectOptions: { tags: { team: 'sales' } } });
    meanwhile.push(() => put({ tags: { team: 'sales', stage: 'live' }, onConflict: 'fail' }));
    const { code, errors } = await run('update', NAME, '--cache-control', 'no-store');
    expect(code, errors).to.equal(0);
    expect(patches).to.deep.equal([
      { metadata: { resourceVersion: undefined }, spec: { objectOptions: { cacheControl: 'no-store' } } },
    ]);
    expect(spec()['objectOptions']).to.deep.equal({
      tags: { team: 'sales', stage: 'live' },
      onConflict: 'fail',
      cacheControl: 'no-store',
    });
  });

  it("removes a setting with ''", async () => {
    const encryption = {
      serverSideEncryption: 'aws:kms',
      kmsKeyId: 'alias/a',
      bucketKeyEnabled: true,
    } as const;
    const { run, spec } = start({
      endpoint: 'https://s3.example.com',
      objectOptions: { ...encryption, acl: 'private' },
    });
    const { endpoint: _removed, objectOptions: _changed, ...rest } = spec();
    const options = ['--server-side-encryption', '--kms-key-id', '--bucket-key-enabled', '--endpoint'];
    const { code, errors } = await run('update', NAME, ...options.flatMap((option) => [option, '']));
    expect(code, errors).to.equal(0);
    expect(spec()).to.deep.equal({ ...rest, objectOptions: { acl: 'private' } });
  });

  it('replaces and removes the authorities of the store, which show counts', async () => {
    const { run, spec } = start();
    expect((await run('show', NAME)).output).to.not.contain('CA bundle');
    expect((await run('update', NAME, '--ca-file', certificatePath('ca.pem'))).code).to.equal(0);
    expect(spec()['caBundle']).to.equal(certificateText('ca.pem'));
    expect((await run('show', NAME)).output).to.match(/CA bundle: +1 certificate\n/);
    expect((await run('update', NAME, '--ca-file', '')).code).to.equal(0);
    expect(spec()).to.not.have.property('caBundle');
  });

  it('refuses a request without a change, an invalid one, and one for another service', async () => {
    const { run, patches } = start();
    const wrong: readonly (readonly [args: readonly string[], code: number, message: RegExp])[] = [
      [[NAME], 2, /Nothing to change\. Pass at least one of --region, .*zipjobs bucket update-credentials/],
      [[NAME, '--region', ''], 2, /Missing region: an s3 bucket requires region/],
      [[NAME, '--host', 'a.example.com'], 2, /Unexpected host: an s3 bucket has no host/],
      [['other', '--region', 'a'], 4, /Bucket "other" \(s3\) not found/],
    ];
    for (const [args, code, message] of wrong) {
      const printed = await run('update', ...args);
      expect([printed.code, printed.output], printed.errors).to.deep.equal([code, '']);
      expect(printed.errors).to.match(message);
    }
    expect(patches).to.deep.equal([]);
  });
});
