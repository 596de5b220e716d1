import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request as plainRequest, type Server, type ServerResponse } from 'node:http';
import { Agent, request } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls, type PeerCertificate, TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { errorCode } from '#runtime/errors.ts';
import { startAdminServer } from '#runtime/http/admin-server.ts';
import { createReadForwarded } from '#runtime/http/client-address.ts';
import { createLimitedServer } from '#runtime/http/limited-server.ts';
import { listen } from '#runtime/http/server.ts';
import { createLogger } from '#runtime/log/log.ts';
import {
  exportCertificateExpiry,
  openServerCertificate,
  type ServerCertificate,
} from '#runtime/tls/server-certificate.ts';
import { certificateText } from '#test/support/servers/tls-front.ts';
import { until } from '#test/support/until.ts';

const FIRST = certificateText('private.pem');
const SECOND = certificateText('loopback.pem');
const KEY = certificateText('server.key');
const OTHER_KEY = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
}).privateKey;
const SETTINGS = {
  headersTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
  timeoutCheckMs: 60_000,
  keepAliveTimeoutMs: 60_000,
  maxRequestsPerSocket: 1_000,
  maxHeaderBytes: 4_096,
};

function fingerprint(pem: string): string {
  return new X509Certificate(pem).fingerprint256;
}

/** A directory like that of a mounted Secret: the files are links through `..data`, which is replaced at once. */
async function mountSecret() {
  const dir = await mkdtemp(join(tmpdir(), 'tls-'));
  let version = 0;
  async function write(cert: string, key: string): Promise<void> {
    version += 1;
    const name = `..version-${version}`;
    await mkdir(join(dir, name));
    await writeFile(join(dir, name, 'tls.crt'), cert);
    await writeFile(join(dir, name, 'tls.key'), key);
    await symlink(name, join(dir, '..next'));
    await rename(join(dir, '..next'), join(dir, '..data'));
  }
  await write(FIRST, KEY);
  for (const file of ['tls.crt', 'tls.key']) await symlink(join('..data', file), join(dir, file));
  return { dir, write, remove: () => rm(dir, { recursive: true }) };
}

describe('the certificate of a server', () => {
  let life: AsyncDisposableStack;
  let secret: Awaited<ReturnType<typeof mountSecret>>;
  let certificate: ServerCertificate;
  let lines: { readonly message: string }[];
  beforeEach(async () => {
    life = new AsyncDisposableStack();
    secret = await mountSecret();
    life.defer(secret.remove);
    lines = [];
    const log = createLogger('test', {
      level: 'info',
      destination: { write: (line) => lines.push(JSON.parse(line) as (typeof lines)[number]) },
    });
    const opened = openServerCertificate({ tlsDir: secret.dir, tlsReloadMs: 5 }, log);
    if (!opened) throw new Error('no certificate');
    certificate = life.use(opened);
  });
  afterEach(() => life.disposeAsync());

  function messages(): readonly string[] {
    return lines.map(({ message }) => message);
  }
  /** A server whose responses the test ends. */
  async function serve(settings: Partial<typeof SETTINGS> = {}) {
    const responses: ServerResponse[] = [];
    const faults: string[] = [];
    const server: Server = createLimitedServer({
      listener: (_request, response) => void responses.push(response),
      settings: { ...SETTINGS, ...settings },
      reject: (fault) => {
        faults.push(fault);
        return { status: 400, contentType: 'text/plain', body: fault };
      },
      certificate,
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    life.defer(async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    });
    return { responses, faults, port: (server.address() as AddressInfo).port };
  }
  /** Sends a request on a connection of its own, unless an agent is given. */
  function ask(port: number, agent: Agent | false = false) {
    const sent = request({ host: '127.0.0.1', port, agent, rejectUnauthorized: false }).end();
    return once(sent, 'response') as Promise<[IncomingMessage]>;
  }
  async function responded(port: number, responses: readonly ServerResponse[], agent?: Agent) {
    const before = responses.length;
    const asked = ask(port, agent);
    await until('the request to arrive', () => responses.length > before);
    responses.at(-1)?.end('done');
    const [response] = await asked;
    const peer: PeerCertificate | undefined =
      response.socket instanceof TLSSocket ? response.socket.getPeerCertificate() : undefined;
    return { body: await text(response), peer: peer?.fingerprint256 };
  }

  it('is replaced without a restart, and a response that has started continues (X54)', async () => {
    const { port, responses } = await serve();
    const asked = ask(port);
    await until('the request to arrive', () => responses.length === 1);
    responses[0]?.write('first ');
    const [open] = await asked;
    const body = text(open);
    await secret.write(SECOND, KEY);
    await until('the new pair to be in use', () => messages().includes('the TLS certificate has changed'));
    expect(await responded(port, responses)).to.deep.equal({ body: 'done', peer: fingerprint(SECOND) });
    responses[0]?.end('second');
    expect(await body).to.equal('first second');
  });

  it('keeps an idle connection that is kept alive through the change (X54)', async () => {
    const { port, responses } = await serve();
    const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
    life.defer(() => agent.destroy());
    expect((await responded(port, responses, agent)).peer).to.equal(fingerprint(FIRST));
    await secret.write(SECOND, KEY);
    await until('the new pair to be in use', () => messages().includes('the TLS certificate has changed'));
    expect(await responded(port, responses, agent)).to.deep.equal({ body: 'done', peer: fingerprint(FIRST) });
  });

  for (const [what, cert, key] of [
    ['a key of another certificate', SECOND, OTHER_KEY],
    ['half a certificate', SECOND.slice(0, SECOND.length / 2), KEY],
    ['half a key', SECOND, KEY.slice(0, KEY.length / 2)],
    ['half an intermediate certificate', SECOND + FIRST.slice(0, FIRST.length / 2), KEY],
    ['an empty certificate', '', KEY],
    ['an empty key', SECOND, ''],
  ] as const)
    it(`stays the last valid one after ${what}, is logged once, and is replaced later (X54)`, async () => {
      const { port, responses } = await serve();
      await secret.write(cert, key);
      await until('the refusal to be logged', () => lines.length === 1);
      expect((await responded(port, responses)).peer).to.equal(fingerprint(FIRST));
      await secret.write(SECOND, KEY);
      await until('the new pair to be in use', () => messages().includes('the TLS certificate has changed'));
      expect(messages()).to.deep.equal([
        'the TLS certificate is invalid: the previous one stays in use',
        'the TLS certificate has changed',
      ]);
      expect(JSON.stringify(lines)).not.to.contain('PRIVATE KEY');
      expect((await responded(port, responses)).peer).to.equal(fingerprint(SECOND));
    });

  it('refuses plain HTTP at the ports of requests and of health, without a response (X54)', async () => {
    const { port, responses } = await serve();
    const admin = life.use(
      await startAdminServer({
        host: '127.0.0.1',
        port: 0,
        registry: new Registry(),
        log: createLogger('test', { level: 'silent' }),
        healthy: () => ({ ok: true }),
        ready: () => ({ ok: true }),
        certificate,
      }),
    );
    for (const one of [port, admin.port]) {
      const sent = plainRequest({ host: '127.0.0.1', port: one, path: '/healthz', agent: false }).end();
      const error = await once(sent, 'response').then(
        () => 'response',
        (thrown: unknown) => errorCode(thrown),
      );
      expect(error).to.be.oneOf(['ECONNRESET', 'HPE_INVALID_CONSTANT']);
    }
    expect(responses).to.deep.equal([]);
    const [healthy] = (await once(
      request({
        host: '127.0.0.1',
        port: admin.port,
        path: '/healthz',
        agent: false,
        rejectUnauthorized: false,
      }).end(),
      'response',
    )) as [IncomingMessage];
    expect(healthy.statusCode).to.equal(200);
    healthy.resume();
    expect((await responded(port, responses)).body).to.equal('done');
  });

  for (const [what, proxies, forwarded, protocol] of [
    ['without a proxy', [], undefined, 'https'],
    ['with a header of a client', [], 'http', 'https'],
    ['behind a trusted proxy that says nothing', ['127.0.0.0/8'], undefined, 'https'],
    ['behind a trusted proxy that got plain HTTP', ['127.0.0.0/8'], 'http', 'http'],
  ] as const)
    it(`makes a request count as ${protocol} ${what} (X54)`, async () => {
      const { port, responses } = await serve();
      const headers = forwarded === undefined ? {} : { 'x-forwarded-proto': forwarded };
      const sent = request({
        host: '127.0.0.1',
        port,
        agent: false,
        headers,
        rejectUnauthorized: false,
      }).end();
      await until('the request to arrive', () => responses.length === 1);
      const [response] = responses;
      expect(response && createReadForwarded(proxies)(response.req).protocol).to.equal(protocol);
      response?.end();
      const [received] = (await once(sent, 'response')) as [IncomingMessage];
      received.resume();
    });

  it('does not make a server wait for unfinished handshakes when it closes (X54)', async () => {
    const server = createLimitedServer({
      listener: (_request, response) => response.end(),
      settings: SETTINGS,
      reject: (body) => ({ status: 400, contentType: 'text/plain', body }),
      certificate,
    });
    const listening = life.use(await listen(server, { host: '127.0.0.1', port: 0 }));
    const silent = connect(listening.port, '127.0.0.1');
    silent.on('error', () => undefined);
    const closed = once(silent, 'close');
    await once(server, 'connection');
    await listening.close(10);
    await closed;
  });

  it('closes a connection whose handshake takes longer than headers may take (X54)', async () => {
    const { port, faults } = await serve({ headersTimeoutMs: 50 });
    const silent = connect(port, '127.0.0.1');
    silent.on('error', () => undefined);
    await once(silent, 'close');
    expect(faults).to.deep.equal([]);
  });

  it('lets a server reject what is no request, but not a failed handshake (X54)', async () => {
    const { port, faults } = await serve();
    const plain = connect(port, '127.0.0.1');
    plain.on('error', () => undefined);
    plain.write('GET / HTTP/1.1\r\n\r\n');
    await once(plain, 'close');
    expect(faults).to.deep.equal([]);
    const secure = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
    secure.write('no request\r\n\r\n');
    expect(await text(secure)).to.match(/^HTTP\/1\.1 400 .*malformed$/s);
    expect(faults).to.deep.equal(['malformed']);
  });

  it('has its expiry in a metric, also after a change (X54)', async () => {
    const registry = new Registry();
    exportCertificateExpiry(registry, certificate);
    async function exported(): Promise<number | undefined> {
      return (await registry.getMetricsAsJSON())[0]?.values[0]?.value;
    }
    function expiryOf(pem: string): number {
      return new X509Certificate(pem).validToDate.getTime() / 1000;
    }
    expect(await exported()).to.equal(expiryOf(FIRST));
    await secret.write(SECOND, KEY);
    await until('the new expiry', async () => (await exported()) === expiryOf(SECOND));
  });

  it('must be valid at the start, and the error names the directory (X54)', async () => {
    const log = createLogger('test', { level: 'silent' });
    await secret.write(FIRST + SECOND.slice(0, 200), KEY);
    expect(() => openServerCertificate({ tlsDir: secret.dir, tlsReloadMs: 5 }, log)).to.throw('TLS_DIR: ');
    await secret.write(FIRST, OTHER_KEY);
    expect(() => openServerCertificate({ tlsDir: secret.dir, tlsReloadMs: 5 }, log)).to.throw(
      `TLS_DIR: ${secret.dir} has no valid pair of tls.crt and tls.key: the private key in tls.key`,
    );
    expect(() => openServerCertificate({ tlsDir: '/nonexistent', tlsReloadMs: 5 }, log)).to.throw('ENOENT');
    expect(openServerCertificate({ tlsDir: '', tlsReloadMs: 5 }, log)).to.equal(undefined);
  });
});
