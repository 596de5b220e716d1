/** Zippers whose token service goes away and whose token is replaced, with MinIO as store and token service. */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { EXIT_CODES } from '#crds/exit-codes.ts';
import { readZip } from '#test/support/archives/read-zip.ts';
import { type BucketReader, createBucketReader } from '#test/support/clients/bucket-reader.ts';
import { startZipper, untilZipperEnds, ZipperHost } from '#test/support/processes/zipper-process.ts';
import { createFedFile, type FedFile } from '#test/support/servers/fed-file.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import { startTokenIssuer, type TokenIssuer } from '#test/support/servers/issuer-front.ts';
import { AUDIENCE, type Minio, ROLE, startTestMinio } from '#test/support/servers/minio.ts';
import type { OriginRoute } from '#test/support/servers/origin-request.ts';
import { type StsFront, startStsFront } from '#test/support/servers/sts-front.ts';
import { until } from '#test/support/until.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { createBucket } from '#tools/local-cluster/store.ts';

const BUCKET = 'sessions';
const ENV = {
  PART_SIZE_BYTES: String(5 * 1024 * 1024),
  STORE_TOKEN_AUDIENCES: AUDIENCE,
  STORE_STS_HOSTS: '127.0.0.1',
  STS_RETRY_MS: '200',
  // The test decides when the source continues.
  SOURCE_IDLE_TIMEOUT_MS: '100000',
  SOURCE_MIN_RATE_WINDOW_MS: '100000',
};
/** Retries for most of a minute: each wait is one second on average. */
const PERSISTENT = { STORE_RETRY_MAX_MS: '2000' };
const BRIEF = { STORE_RETRY_LIMIT_MS: '1000' };
const RENEWAL_FAILED = 'could not renew the credentials; the current ones are still valid';
const RETRY = 'retrying a request to the store';

/** A job with one source. */
interface OwnJob {
  readonly key: string;
  readonly sts: StsFront;
  readonly file: FedFile;
  readonly token: string;
  readonly env: Readonly<Record<string, string>>;
}

describe('a zipper without stored keys', function () {
  this.timeout(40 * 60_000);
  const life = new AsyncDisposableStack();
  const routes: Record<string, OriginRoute> = {};
  let host: ZipperHost;
  let issuer: TokenIssuer;
  let minio: Minio;
  let origin: FileOrigin;
  let reader: BucketReader;

  before(async function () {
    const { dir } = await sharedCluster();
    issuer = life.use(await startTokenIssuer());
    minio = life.use(await startTestMinio(this, { dir, issuer }));
    host = life.use(await ZipperHost.start());
    origin = life.use(await startFileOrigin({ routes }));
    reader = life.use(createBucketReader(minio, BUCKET));
    await createBucket(minio, BUCKET);
  });
  after(() => life.disposeAsync());

  async function start({ key, sts, file, token, env }: OwnJob) {
    routes[`/${key}`] = file.route;
    const webIdentity = { roleArn: ROLE, audience: AUDIENCE, stsEndpoint: sts.endpoint };
    const command = await host.prepare({
      endpoint: minio.endpoint,
      bucket: BUCKET,
      key,
      files: [{ url: origin.url(`/${key}`), filename: 'fed.bin' }],
      task: { bucket: { service: 's3', name: BUCKET, endpoint: minio.endpoint, webIdentity } },
      env: { ...ENV, ...env },
    });
    /** Replaces the file atomically, as the kubelet does. */
    async function replaceToken(text: string): Promise<void> {
      const path = join(command.directory, 'bucket/token');
      await writeFile(`${path}.new`, text);
      await rename(`${path}.new`, path);
    }
    await replaceToken(token);
    const child = startZipper(command);
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    life.defer(() => {
      child.kill('SIGKILL');
    });
    const ended = untilZipperEnds(child, command.directory);
    return {
      replaceToken,
      ended,
      countOf: (message: string) => output.split(message).length - 1,
      /** Waits for something that happens before the zipper ends. */
      until: (what: string, ask: () => boolean | Promise<boolean>) => {
        const early = ended.then(() => Promise.reject(new Error(`no ${what}:\n${output}`)));
        return Promise.race([until(what, ask, { intervalMs: 100, limitMs: 300_000 }), early]);
      },
    };
  }

  it('uses its session while the token service is away, and gets the next one with the replaced token (X21)', async () => {
    const lifetimeMs = 9_000;
    await using sts = await startStsFront(minio.endpoint, lifetimeMs);
    const file = createFedFile();
    function freshToken(): string {
      return issuer.tokenFor(AUDIENCE, lifetimeMs / 1000);
    }
    const job = await start({ key: 'long.zip', sts, file, token: freshToken(), env: PERSISTENT });
    /** Gets a session and stops the token service. Returns the time at which the session and the token end. */
    async function lastSession(): Promise<number> {
      const { sessions } = sts;
      await job.until('session', async () => {
        if (sts.sessions === sessions) await job.replaceToken(freshToken());
        return sts.sessions > sessions;
      });
      await sts.stop();
      return performance.now() + lifetimeMs;
    }

    let endsAt = await lastSession();
    await job.until('failed renewal', async () => {
      if (performance.now() > endsAt - lifetimeMs / 3) file.feed();
      if (job.countOf(RENEWAL_FAILED) > 0) return true;
      // A machine that is very busy may miss the last third of a session.
      if (performance.now() > endsAt) {
        await sts.start();
        endsAt = await lastSession();
      }
      return false;
    });
    const { sessions } = sts;
    const retries = job.countOf(RETRY);
    await job.until('repeated request to the store', () => {
      file.feed();
      return performance.now() > endsAt && job.countOf(RETRY) > retries + 2;
    });
    expect(sts.sessions).to.equal(sessions);

    await sts.start();
    await job.until('refused token', () => sts.requests.some(({ status }) => status === 400));
    const next = issuer.tokenFor(AUDIENCE, 600);
    await job.replaceToken(next);
    file.end();
    const { code, output } = await job.ended;
    expect(code, output).to.equal(0);
    const accepted = sts.requests.filter(({ status }) => status === 200).map(({ token }) => token);
    expect(accepted.indexOf(next), 'first session of the next token').to.equal(sessions);
    const { entries } = readZip(await reader.bytes('long.zip'));
    expect(entries.map(({ size, crc }) => ({ size, crc }))).to.deep.equal([file.content]);
    expect(output).not.to.contain('eyJ');
  });

  it('fails when its session ends before the token service is back, and says why (X21)', async () => {
    const lifetimeMs = 3_000;
    await using sts = await startStsFront(minio.endpoint, lifetimeMs);
    const file = createFedFile();
    const token = issuer.tokenFor(AUDIENCE, 600);
    const job = await start({ key: 'short.zip', sts, file, token, env: BRIEF });
    await job.until('upload', async () => (await reader.openUploadKeys()).includes('short.zip'));
    const startedAt = performance.now();
    await sts.stop();
    let isOver = false;
    void job.ended.finally(() => {
      isOver = true;
    });
    await until('the end of the zipper', () => {
      if (performance.now() > startedAt + lifetimeMs) file.feed();
      return isOver;
    });
    const { code, message, output } = await job.ended;
    expect(code, output).to.equal(EXIT_CODES.storeUnavailable);
    const { failure } = JSON.parse(message) as { readonly failure: Record<string, unknown> };
    expect(failure).to.include({ code: 'StoreUnavailable', retriable: true });
    expect(failure['message']).to.match(
      /^Getting credentials from the security token service 127\.0\.0\.1:\d+: ECONNREFUSED/,
    );
    expect(output).not.to.contain('eyJ');
  });
});
