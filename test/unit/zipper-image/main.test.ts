import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { EXIT_CODES } from '#crds/exit-codes.ts';
import { defined } from '#runtime/collections/optional.ts';
import { createSealingKey } from '#runtime/crypto/sealed-box.ts';
import { contentOf, readZip } from '#test/support/archives/read-zip.ts';
import { splitZipperEnv } from '#test/support/builders/zipper-env.ts';
import { ownAddress } from '#test/support/own-address.ts';
import { compileCacheEnv } from '#test/support/processes/compile-cache-env.ts';
import { untilZipperEnds } from '#test/support/processes/zipper-process.ts';
import { type HostileStore, startHostileStore } from '#test/support/servers/hostile-store.ts';
import { type StatusServer, startStatusServer } from '#test/support/servers/status-server.ts';
import { certificateText } from '#test/support/servers/tls-front.ts';
import { until } from '#test/support/until.ts';
import { freePorts } from '#tools/local-cluster/free-ports.ts';

const MAIN = new URL('../../../zipper-image/main.ts', import.meta.url).pathname;
const LIMIT_MS = 60_000;

describe('a zipper process', function () {
  this.timeout(LIMIT_MS + 2000);
  let directory: string;
  let hostile: HostileStore;
  let status: StatusServer;
  let origin: Server;
  /** The response to `/half`, which is not finished. */
  let firstHalf: ServerResponse | undefined;
  let child: ChildProcess | undefined;

  before(async () => {
    const certificate = { key: certificateText('server.key'), cert: certificateText('loopback.pem') };
    status = await startStatusServer(certificate);
    origin = createServer((request, response) => {
      response.writeHead(200, { 'content-length': 3_000_000 });
      response.write(Buffer.alloc(1_500_000, 1));
      if (request.url?.startsWith('/whole') === true) response.end(Buffer.alloc(1_500_000, 2));
      else firstHalf = response;
    });
    await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve));
  });
  after(async () => {
    origin.closeAllConnections();
    origin.close();
    await status[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    hostile = await startHostileStore();
    directory = await mkdtemp(join(tmpdir(), 'zipjobs-main-'));
    await Promise.all(['bucket', 'account'].map((name) => mkdir(join(directory, name))));
    await writeFile(join(directory, 'account/ca.crt'), certificateText('loopback.pem'));
    await writeFile(join(directory, 'account/token'), 'token');
    await writeFile(join(directory, 'bucket/accessKeyId'), 'id\n');
    await writeFile(join(directory, 'bucket/secretAccessKey'), 'CANARY\n');
  });
  afterEach(async () => {
    if (child?.exitCode === null) child.kill('SIGKILL');
    await hostile[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  function task(...paths: readonly string[]) {
    const { port } = origin.address() as AddressInfo;
    const urls = paths.map((path) => `http://127.0.0.1:${port}${path}?sig=CANARY`);
    status.spec = { files: urls.map((url, index) => ({ url, filename: `${index}.bin` })) };
    return {
      contractVersion: 1,
      mode: 'archive',
      bucket: { service: 's3', name: 'bucket', endpoint: hostile.endpoint },
      namespace: 'shop',
      zipJob: 'zip-1',
      zipJobUid: 'uid-1',
      key: 'a.zip',
      compression: 'store',
      onConflict: 'replace',
      defaultModificationTime: '2026-01-02T03:04:05Z',
      files: { from: 'inline', count: paths.length },
      startDeadlineSeconds: 10,
      activeDeadlineSeconds: 60,
    };
  }

  async function start(given: object, all: Record<string, string> = {}): Promise<ChildProcess> {
    const { env, settings } = splitZipperEnv(all);
    await writeFile(join(directory, 'task.json'), JSON.stringify({ ...given, settings }));
    child = spawn(process.execPath, [MAIN], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...compileCacheEnv(),
        TASK_FILE: join(directory, 'task.json'),
        BUCKET_DIR: join(directory, 'bucket'),
        FILES_DIR: join(directory, 'files'),
        SERVICE_ACCOUNT_DIR: join(directory, 'account'),
        TERMINATION_LOG: join(directory, 'termination'),
        POD_NAME: 'pod',
        POD_UID: 'pod-1',
        KUBERNETES_SERVICE_HOST: '127.0.0.1',
        KUBERNETES_SERVICE_PORT: String(status.port),
        EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
        STORE_ALLOW_CIDRS: '127.0.0.0/8',
        STORE_ALLOWED_HOSTS: '127.0.0.1',
        STORE_ALLOW_HTTP: 'true',
        ...env,
      },
    });
    return child;
  }

  /** The exit code, the termination message and the whole output. */
  async function end(started: ChildProcess) {
    const { message, ...ended } = await untilZipperEnds(started, directory);
    expect(ended.output).not.to.include('CANARY');
    return { ...ended, message: JSON.parse(message) as unknown };
  }

  it('writes the archive, reports it in its termination message and exits', async () => {
    const { code, message, output } = await end(await start(task('/whole')));
    expect(code, output).to.equal(0);
    const body = hostile.objects.get('a.zip')!.body;
    expect(contentOf(readZip(body).entries[0]!).length).to.equal(3_000_000);
    expect(message).to.have.nested.property('result.bytes', body.length);
    expect(message)
      .to.have.nested.property('result.peakMemory')
      .that.is.below(256 * 1024 ** 2);
  });

  it('prints only lines of its log while the store fails (F45)', async () => {
    hostile.fault = ({ operation, nth }) =>
      operation === 'part' && nth === 1
        ? { kind: 'response', status: 500, code: 'InternalError' }
        : undefined;
    const { code, output } = await end(await start(task('/whole')));
    expect(code, output).to.equal(0);
    for (const line of output.trim().split('\n')) expect(() => JSON.parse(line), line).not.to.throw();
    expect(output).to.contain('retrying a request to the store');
  });

  it('aborts its upload on SIGTERM and exits with the matching code (F8)', async () => {
    const started = await start(task('/half'));
    const ended = end(started);
    await until('the upload to be open', () => status.writes.at(-1)?.status.upload?.state === 'open', {
      limitMs: LIMIT_MS,
    });
    started.kill('SIGTERM');
    const { code, message } = await ended;
    expect(code).to.equal(EXIT_CODES.terminated);
    expect(message).to.have.nested.property('failure.code', 'Terminated');
    expect([hostile.uploads.size, hostile.objects.size]).to.deep.equal([0, 0]);
  });

  it('does not open the ranges of stores for sources (N4)', async () => {
    let connections = 0;
    origin.on('connection', () => {
      connections += 1;
    });
    const ranges = { EGRESS_ALLOW_CIDRS: '', STORE_ALLOW_CIDRS: '127.0.0.0/8', SOURCE_RETRY_LIMIT_MS: '0' };
    const { code, message } = await end(await start(task('/whole'), ranges));
    expect(message).to.have.nested.property('failure.code', 'SourceUnreachable');
    expect(code).to.equal(EXIT_CODES.sourceUnavailable);
    expect([connections, hostile.requests.length > 0]).to.deep.equal([0, true]);
  });

  it('does not open the ranges of sources for stores (N4)', async () => {
    const ranges = { EGRESS_ALLOW_CIDRS: '127.0.0.0/8', STORE_ALLOW_CIDRS: '' };
    const { message } = await end(await start(task('/whole'), ranges));
    expect(message).to.have.nested.property('failure.code', 'BucketMisconfigured');
    expect(hostile.requests.length).to.equal(0);
  });

  describe('with a store at the address of the API server', () => {
    const life = new AsyncDisposableStack();
    let own: string;
    let port: string;
    let atOwn: HostileStore;
    before(async function () {
      own = ownAddress() ?? this.skip();
      atOwn = life.use(await startHostileStore(own));
      ({ port } = new URL(atOwn.endpoint));
    });
    after(() => life.disposeAsync());

    function startAtOwn(env: Record<string, string>, given: object = task('/whole')) {
      const bucket = { service: 's3', name: 'bucket', endpoint: atOwn.endpoint };
      return start(
        { ...given, bucket },
        {
          STORE_ALLOW_CIDRS: `${own}/32`,
          STORE_ALLOWED_HOSTS: `${own}:${port}`,
          EGRESS_API_SERVER_ADDRESSES: `10.96.0.1:443,${own}:6443`,
          ...env,
        },
      );
    }

    it('writes the archive if the operator names the port of the store (X56)', async () => {
      const { code, output } = await end(await startAtOwn({}));
      expect(code, output).to.equal(0);
      expect([...atOwn.objects.keys()]).to.deep.equal(['a.zip']);
    });

    it('does not open the address for sources (X56)', async () => {
      const env = { EGRESS_ALLOW_CIDRS: `127.0.0.0/8,${own}/32`, SOURCE_RETRY_LIMIT_MS: '0' };
      const given = task('/whole');
      status.spec = { files: [{ url: `${atOwn.endpoint}/source?sig=CANARY`, filename: 'a' }] };
      const { message } = await end(await startAtOwn(env, given));
      expect(message).to.have.nested.property('failure.code', 'SourceUnreachable');
      expect(JSON.stringify(message)).not.to.contain('API server');
    });

    for (const [what, envOf, text] of [
      ['without a port', () => ({ STORE_ALLOWED_HOSTS: own }), 'it has the address of the API server. Ask'],
      [
        'that is the port of the API server',
        () => ({ EGRESS_API_SERVER_ADDRESSES: `${own}:${port}` }),
        'The port of the API server itself stays blocked',
      ],
      [
        'while the port of the API server is not known',
        () => ({ EGRESS_API_SERVER_ADDRESSES: own }),
        'it has the address of the API server',
      ],
      [
        'in a range that only the operator of stores can open',
        () => ({ STORE_ALLOW_CIDRS: '' }),
        'Ask your administrator to add its range to store.allowCidrs',
      ],
      ['in a denied range', () => ({ EGRESS_DENY_CIDRS: `${own}/32` }), 'its address is in egress.denyCidrs'],
    ] as const)
      it(`refuses an entry ${what}, and says why (X56)`, async () => {
        const before = atOwn.requests.length;
        const { message } = await end(await startAtOwn(envOf()));
        expect(message).to.have.nested.property('failure.code', 'BucketMisconfigured');
        expect(message)
          .to.have.nested.property('failure.message')
          .that.includes(`Could not connect to ${own}: `)
          .and.includes(text);
        expect(atOwn.requests.length).to.equal(before);
      });
  });

  it('shows only the controller why a source is unreachable (S49, N22)', async () => {
    const key = createSealingKey();
    const [port = 0] = await freePorts(1);
    const seen: { readonly shown: unknown; readonly causes: string | undefined }[] = [];
    for (const url of [`http://127.0.0.1:${port}/CANARY`, 'http://10.0.0.1/CANARY', 'http://db/CANARY']) {
      const given = { ...task('/whole'), activeDeadlineSeconds: 60, sealingKey: key.publicKey };
      status.spec = { files: [{ url, filename: 'a' }] };
      const { message, output } = await end(await start(given, { SOURCE_RETRY_LIMIT_MS: '0' }));
      const { sealed, ...shown } = message as { readonly sealed: string };
      const lines = output
        .trim()
        .split('\n')
        .map((line) => ({ ...(JSON.parse(line) as object), time: '', delayMs: 0 }));
      seen.push({ shown: { ...shown, length: sealed.length, lines }, causes: key.open(sealed) });
    }
    expect(seen.map(({ causes }) => causes)).to.deep.equal(['ECONNREFUSED', 'private', 'name']);
    expect(seen[1]?.shown).to.deep.equal(seen[0]?.shown);
    expect(seen[2]?.shown).to.deep.equal(seen[0]?.shown);
  });

  it('recovers an upload without a token', async () => {
    await rm(join(directory, 'account'), { recursive: true });
    const { mode: _mode, ...rest } = task('/whole');
    const times = { since: '2026-01-02T03:04:05Z', endedAt: '2026-01-02T03:14:05Z', endedAgeSeconds: 60 };
    const upload = { uploadId: 'gone', uploadState: 'committing', attempt: 'pod-0' };
    const recover = { ...rest, mode: 'recover', ...times, ...upload };
    const { code, message } = await end(await start(recover, { STORE_CONSISTENCY_MS: '200' }));
    expect(code).to.equal(0);
    const recovered = { outcome: 'unknown', goneBeforeAbort: true };
    expect(message).to.deep.equal({ contractVersion: 1, mode: 'recover', recovered });
  });

  for (const [choice, setting, ends] of [
    [true, 'false', EXIT_CODES.sourceUnavailable],
    [undefined, 'true', EXIT_CODES.sourceUnavailable],
    [false, 'true', EXIT_CODES.ok],
  ] as const)
    it(`ends with ${ends} if a source ends after the next request, sequential is ${choice} and SOURCE_SEQUENTIAL ${setting} (F31)`, async () => {
      function finishFirst(request: IncomingMessage): void {
        if (request.url?.startsWith('/whole') === true) firstHalf?.end(Buffer.alloc(1_500_000, 2));
      }
      origin.on('request', finishFirst);
      const given = { ...task('/half', '/whole'), ...defined({ sequential: choice }) };
      const env = { SOURCE_SEQUENTIAL: setting, SOURCE_IDLE_TIMEOUT_MS: '1500', SOURCE_RETRY_LIMIT_MS: '0' };
      const { code, output } = await end(await start(given, env));
      origin.off('request', finishFirst);
      expect(code, output).to.equal(ends);
    });

  it('refuses an invalid setting permanently', async () => {
    const { code, message } = await end(await start(task('/whole'), { STORE_BUFFER_BYTES: '1' }));
    expect(code).to.equal(EXIT_CODES.invalidTask);
    expect(message)
      .to.have.nested.property('failure.message')
      .that.contains('storeBufferBytes must be >= 16777216');
  });

  for (const [name, given, env] of [
    ['an unknown task', { mode: 'print' }, {}],
    ['an invalid variable', {}, { LOG_LEVEL: 'loud' }],
    ['disabled certificate checks', {}, { NODE_TLS_REJECT_UNAUTHORIZED: '0' }],
  ] as const)
    it(`refuses ${name} permanently`, async () => {
      const { code, message } = await end(await start(given, env));
      expect(code).to.equal(EXIT_CODES.invalidTask);
      expect(message).to.have.nested.property('failure.code', 'InvalidTask');
    });

  it('ends with a transient exit code when a promise of its own is never resolved', async () => {
    // Node then ends with 13, which is the exit code for a bucket that refuses: the job would not be tried again.
    const preload = `
      import fs from 'node:fs/promises';
      import { syncBuiltinESMExports } from 'node:module';
      fs.readFile = () => new Promise(() => undefined);
      syncBuiltinESMExports();`;
    const started = await start(task('/whole'), {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}`,
    });
    expect(await once(started, 'close')).to.deep.equal([EXIT_CODES.internal, null]);
  });
});
