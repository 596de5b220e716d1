/** Which certificate authorities a zipper trusts, with real TLS servers and processes. */
import { expect } from 'chai';
import { runZipper, ZipperHost, type ZipperJob } from '#test/support/processes/zipper-process.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import { type HostileStore, startHostileStore } from '#test/support/servers/hostile-store.ts';
import { certificatePath, startTlsFront, type TlsFront } from '#test/support/servers/tls-front.ts';

const ENV = {
  STORE_RETRY_LIMIT_MS: '0',
  SOURCE_RETRY_LIMIT_MS: '0',
  PART_SIZE_BYTES: String(5 * 1024 * 1024),
};

describe('the certificate authorities of a zipper', function () {
  this.timeout(120_000);
  let host: ZipperHost;
  let origin: FileOrigin;
  let store: HostileStore;
  /** Signed by the operator's authority, and by the bucket's. */
  let fronts: Readonly<Record<'source' | 'otherSource' | 'store', TlsFront>>;
  const started = new AsyncDisposableStack();
  before(async () => {
    host = started.use(await ZipperHost.start());
    origin = started.use(await startFileOrigin());
    store = started.use(await startHostileStore());
    fronts = {
      source: started.use(await startTlsFront(origin.origin, 'private.pem')),
      otherSource: started.use(await startTlsFront(origin.origin, 'loopback.pem')),
      store: started.use(await startTlsFront(store.endpoint, 'loopback.pem')),
    };
  });
  after(() => started.disposeAsync());

  /** The exit code and failure of a job with one source and this store. */
  async function run(
    { source, endpoint }: { readonly source: TlsFront; readonly endpoint: string },
    { caBundle, env }: { readonly caBundle?: string; readonly env?: Readonly<Record<string, string>> },
  ) {
    const bucket = {
      service: 's3',
      name: 'bucket',
      endpoint,
      ...(caBundle !== undefined && { caBundle }),
    } as const;
    const job: ZipperJob = {
      endpoint,
      bucket: 'bucket',
      key: 'a.zip',
      files: [{ url: `${source.url}/gen/1000/1`, filename: 'a.bin' }],
      task: { bucket },
      env: { ...ENV, ...env },
    };
    const { code, message } = await runZipper(await host.prepare(job));
    const { failure } = JSON.parse(message) as {
      readonly failure?: { readonly code: string; readonly message: string };
    };
    return { code, failure };
  }

  it('are the public ones by default', async () => {
    const { failure } = await run({ source: fronts.source, endpoint: store.endpoint }, {});
    expect(failure?.code).to.equal('SourceTlsError');
  });

  it("include the operator's for sources and stores, and the bucket's for its store (X22)", async () => {
    const env = { TRUST_BUNDLE: fronts.source.authority };
    const both = { source: fronts.source, endpoint: fronts.store.url };
    expect((await run(both, { env, caBundle: fronts.store.authority })).code).to.equal(0);
    expect((await run(both, { env })).failure?.code).to.equal('BucketMisconfigured');
    await using other = await startTlsFront(store.endpoint, 'private.pem');
    expect((await run({ source: fronts.source, endpoint: other.url }, { env })).code).to.equal(0);
  });

  it('must include that of a store, and the failure says where to add it (X22)', async () => {
    await using selfSigned = await startTlsFront(store.endpoint, 'loopback.pem');
    await using signed = await startTlsFront(store.endpoint, 'private.pem');
    for (const [endpoint, code] of [
      [selfSigned.url, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
      [signed.url, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ] as const) {
      const { failure } = await run({ source: fronts.source, endpoint }, {});
      expect(failure?.message).to.equal(
        `Starting the upload in bucket bucket: ${code}: the certificate of the store is signed by an unknown authority; add the authority to spec.caBundle of the bucket, or ask your administrator to add it to trustBundle. If the authority is there, the store does not send its intermediate certificates`,
      );
    }
  });

  it("never include the bucket's for sources (X22)", async () => {
    const caBundle = fronts.store.authority;
    const { failure } = await run({ source: fronts.otherSource, endpoint: fronts.store.url }, { caBundle });
    expect(failure?.code).to.equal('SourceTlsError');
  });

  it('keep those of NODE_EXTRA_CA_CERTS, which a bundle would replace (X22)', async () => {
    const env = {
      TRUST_BUNDLE: fronts.source.authority,
      NODE_EXTRA_CA_CERTS: certificatePath('loopback.pem'),
    };
    const { code } = await run({ source: fronts.source, endpoint: fronts.store.url }, { env });
    expect(code).to.equal(0);
  });

  it('must be valid certificates (X22)', async () => {
    const broken = fronts.store.authority.replace('MII', 'MIJ');
    const servers = { source: fronts.source, endpoint: fronts.store.url };
    const ofBucket = await run(servers, { env: { TRUST_BUNDLE: fronts.source.authority }, caBundle: broken });
    expect(ofBucket.failure?.code).to.equal('BucketMisconfigured');
    expect(ofBucket.failure?.message).to.contain(
      "the bucket's caBundle: certificate 1 is not a valid certificate",
    );
    const ofOperator = await run(servers, { env: { TRUST_BUNDLE: fronts.source.authority + broken } });
    expect(ofOperator.failure?.message).to.contain('TRUST_BUNDLE: certificate 2 is not a valid certificate');
  });
});
