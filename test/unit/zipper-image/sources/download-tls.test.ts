import { once } from 'node:events';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { expect } from 'chai';
import type { ResolveAll } from '#runtime/egress/dns-resolver.ts';
import { parseCertificates } from '#runtime/tls/certificates.ts';
import { fixedTrust } from '#runtime/tls/trust.ts';
import { certificateText } from '#test/support/servers/tls-front.ts';
import { failureAt, type HarnessOptions, readAll, withReader } from './source-harness.ts';

const trust = fixedTrust(parseCertificates(certificateText('ca.pem'), 'ca.pem'));

const lookup: ResolveAll = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
const options: HarnessOptions = { agent: { lookup, trust }, settings: { sourceRetryLimitMs: 0 } };

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return address.port;
}

/** Resources to release after each test. */
const cleanups: (() => void)[] = [];

function track(socket: Socket): Socket {
  cleanups.push(() => socket.destroy());
  return socket.on('error', () => undefined);
}

/** A TLS server that responds to every connection with these bytes and closes it. */
async function startTls(response: string, tls: TlsOptions = {}) {
  const protocols: (string | false | null)[] = [];
  const requests: string[] = [];
  const server = createTlsServer(
    { cert: certificateText('trusted.pem'), key: certificateText('server.key'), ...tls },
    (socket) => {
      protocols.push(socket.alpnProtocol);
      track(socket).once('data', (request: Buffer) => {
        requests.push(request.toString());
        socket.end(response);
      });
    },
  );
  cleanups.push(() => server.close());
  return { port: await listen(server), protocols, requests };
}

const ALERT = 21;
const RECORD_HEADER_BYTES = 5;

/** TLS 1.2 records without alerts, and therefore without close_notify. */
function withoutAlerts() {
  let rest = Buffer.alloc(0);
  return (chunk: Buffer): Buffer => {
    rest = Buffer.concat([rest, chunk]);
    const kept: Buffer[] = [];
    for (;;) {
      if (rest.length < RECORD_HEADER_BYTES) break;
      const end = RECORD_HEADER_BYTES + rest.readUInt16BE(3);
      if (rest.length < end) break;
      if (rest[0] !== ALERT) kept.push(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
    return Buffer.concat(kept);
  };
}

/** A proxy that replaces the close_notify of the server by a bare FIN. */
async function startCuttingProxy(target: number): Promise<number> {
  const proxy = createTcpServer((client) => {
    const upstream = track(connect(target, '127.0.0.1'));
    const filter = withoutAlerts();
    track(client).on('data', (chunk) => upstream.write(chunk));
    upstream.on('data', (chunk) => client.write(filter(chunk))).on('end', () => client.end());
  });
  cleanups.push(() => proxy.close());
  return listen(proxy);
}

describe('download: the end of a TLS connection', () => {
  afterEach(() => {
    for (const cleanup of cleanups.splice(0)) cleanup();
  });

  async function cutUrl(response: string): Promise<string> {
    const { port } = await startTls(response, { maxVersion: 'TLSv1.2' });
    return `https://files.test.example:${await startCuttingProxy(port)}/file`;
  }

  it('accepts a FIN without close_notify as the end of a body without a length, and marks the entry (D17)', async () => {
    const [entry] = await withReader([await cutUrl('HTTP/1.0 200 OK\r\n\r\nhello')], readAll, options);
    expect(entry?.bytes.toString()).to.equal('hello');
    expect(entry?.lengthUnverified).to.equal(true);
  });

  it('refuses a FIN without close_notify for a chunked body or one with a length (D17) (D1)', async () => {
    for (const response of [
      'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n',
    ])
      expect((await failureAt(await cutUrl(response), options)).code).to.equal('SourceTruncated');
  });

  it('refuses a body without a length if the operator configures it (D3) (D17)', async () => {
    const settings = { ...options.settings, sourceRefuseUnverified: true };
    const error = await failureAt(await cutUrl('HTTP/1.0 200 OK\r\n\r\nhello'), { ...options, settings });
    expect(error).to.include({ code: 'SourceInvalid', retryable: false });
    const whole = await cutUrl('HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello');
    expect(await withReader([whole], readAll, { ...options, settings })).to.have.length(1);
  });

  it('never uses HTTP/2, even if the server prefers it (D15) (S46)', async () => {
    const { port, protocols } = await startTls('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', {
      ALPNProtocols: ['h2', 'http/1.1'],
    });
    const [entry] = await withReader([`https://files.test.example:${port}/file`], readAll, options);
    expect(entry?.bytes.toString()).to.equal('ok');
    expect(protocols).to.have.length(1).and.to.not.include('h2');
  });

  it('names the host without its trailing dot in the handshake, and as in the URL in the request (FD18)', async () => {
    const names: string[] = [];
    const { port, requests } = await startTls('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', {
      SNICallback: (name, done) => {
        names.push(name);
        done(null);
      },
    });
    const [entry] = await withReader([`https://files.test.example.:${port}/file`], readAll, options);
    expect(entry?.bytes.toString()).to.equal('ok');
    expect(names).to.deep.equal(['files.test.example']);
    expect(requests[0]).to.match(/^host: files\.test\.example\.:\d+\r$/m);
    const other = await failureAt(`https://other.test.example.:${port}/file`, options);
    expect(other.message).to.include('ERR_TLS_CERT_ALTNAME_INVALID');
    expect(names).to.deep.equal(['files.test.example', 'other.test.example']);
  });

  it('times out if a server accepts the connection without a TLS handshake (S48)', async () => {
    const silent = createTcpServer(track);
    cleanups.push(() => silent.close());
    const url = `https://files.test.example:${await listen(silent)}/file`;
    const agent = { ...options.agent, connectTimeoutMs: 60 };
    const error = await failureAt(url, { ...options, agent });
    expect(error).to.include({ code: 'SourceUnreachable', retryable: true });
  });
});
