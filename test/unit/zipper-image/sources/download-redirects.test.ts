import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { expect } from 'chai';
import type { ResolveAll } from '#runtime/egress/dns-resolver.ts';
import { parseCertificates } from '#runtime/tls/certificates.ts';
import { fixedTrust } from '#runtime/tls/trust.ts';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import { certificateText } from '#test/support/servers/tls-front.ts';
import { freePorts } from '#tools/local-cluster/free-ports.ts';
import { failureOfResponse, rawServer } from './raw-server.ts';
import { failureAt, type HarnessOptions, readAll, withReader } from './source-harness.ts';

const trust = fixedTrust(parseCertificates(certificateText('ca.pem'), 'ca.pem'));

describe('download: redirects and connections', () => {
  let origin: FileOrigin;
  beforeEach(async () => {
    origin = await startFileOrigin({
      routes: {
        '/no-location': (_request, response) => {
          response.writeHead(302).end();
        },
        '/loop': (_request, response) => {
          response.writeHead(302, { location: '/loop' }).end();
        },
      },
    });
  });
  afterEach(() => origin[Symbol.asyncDispose]());

  function read(path: string, options: HarnessOptions = {}) {
    return withReader([origin.url(path)], readAll, options).then(([entry]) => {
      if (!entry) throw new Error('there is no entry');
      return entry;
    });
  }

  describe('redirects', () => {
    for (const status of [301, 302, 303, 307, 308]) {
      it(`follows ${status}, relative and with only a host (S43)`, async () => {
        const host = new URL(origin.origin).host;
        for (const to of ['/gen/10/3', '../gen/10/3', `//${host}/gen/10/3`, origin.url('/gen/10/3')]) {
          const entry = await read(`/redirect/${status}?to=${encodeURIComponent(to)}`);
          expect(entry.bytes.equals(generatedBytes(10, 3)), to).to.equal(true);
        }
      });
    }

    it('follows at most five redirects (S43)', async () => {
      expect((await read('/hops/5/10/1')).bytes).to.have.length(10);
      const sixth = await failureAt(origin.url('/hops/6/10/1'));
      expect(sixth).to.include({ code: 'SourceInvalid', retryable: false });
      expect((await failureAt(origin.url('/loop'))).code).to.equal('SourceInvalid');
    });

    it('does not connect to a refused address from a redirect (S43, H1)', async () => {
      const inner = await startFileOrigin({ host: '127.0.0.2' });
      const { port } = inner;
      for (const to of [
        inner.url('/gen/1/1'),
        `//127.0.0.2:${port}/`,
        `http://[::1]:${port}/`,
        `http://[::ffff:127.0.0.1]:${origin.port}/`,
        'http://169.254.169.254/latest/meta-data/',
        'http://10.0.0.1/',
        'http://kubernetes.default.svc/',
        'http://metadata.google.internal/',
      ]) {
        const error = await failureAt(origin.url(`/redirect/302?to=${encodeURIComponent(to)}`), {
          settings: { sourceRetryLimitMs: 0 },
        });
        expect(error, to).to.include({ code: 'SourceUnreachable', retryable: true });
      }
      expect(inner.connections).to.equal(0);
      await inner[Symbol.asyncDispose]();
    });

    it('refuses other schemes, credentials, and a missing, oversized or non-ASCII Location (S43) (S45)', async () => {
      for (const to of [
        'file:///etc/passwd',
        'data:,a',
        'ftp://example.com/',
        `http://user:pw@127.0.0.1:${origin.port}/gen/1/1`,
        `/${'a'.repeat(9000)}`,
        'http://127.0.0.1:22/',
      ]) {
        const error = await failureAt(origin.url(`/redirect/302?to=${encodeURIComponent(to)}`));
        expect(error, to.slice(0, 50)).to.include({ code: 'SourceInvalid', retryable: false });
      }
      expect((await failureAt(origin.url('/no-location'))).code).to.equal('SourceInvalid');
      for (const location of ['/gen/1/\u00fc', 'http://[', 'http://exa mple.test/', '/\t/evil.example'])
        expect(
          (
            await failureOfResponse(
              `HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`,
            )
          ).code,
          location,
        ).to.equal('SourceInvalid');
    });

    for (const [location, path] of [
      ['/files/My File.pdf', '/files/My%20File.pdf'],
      ['My  File.pdf?a=b c#d e', '/My%20%20File.pdf?a=b%20c'],
      [' /files/a.pdf ', '/files/a.pdf'],
      ['/files/My%20File.pdf', '/files/My%20File.pdf'],
    ] as const)
      it(`encodes spaces in Location: ${location} (FD15)`, async () => {
        const moved = `HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`;
        const file = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
        await using server = await rawServer((_request, before) => (before === 0 ? moved : file));
        const [entry] = await withReader([server.url], readAll);
        expect(entry?.bytes.toString()).to.equal('ok');
        expect(server.requests[1]?.split('\r\n')[0]).to.equal(`GET ${path} HTTP/1.1`);
      });

    it('ignores Refresh and Alt-Svc headers (S46)', async () => {
      const reply =
        'HTTP/1.1 200 OK\r\nRefresh: 0; url=/x\r\nAlt-Svc: h2=":1"\r\nContent-Length: 2\r\n\r\nok';
      await using server = await rawServer(reply);
      const [entry] = await withReader([server.url], readAll);
      expect(entry?.bytes.toString()).to.equal('ok');
    });
  });

  describe('connections', () => {
    it('treats a refused address like a failed connection, with the same code, attempts and log lines (S49, N22)', async () => {
      const lines: string[] = [];
      const options = { settings: { sourceRetryLimitMs: 100 }, onLog: (line: string) => lines.push(line) };
      const refused = await failureAt(`http://10.0.0.1:${origin.port}/x`, options);
      const triesOfRefused = lines.length;
      const [port = 0] = await freePorts(1);
      const failed = await failureAt(`http://127.0.0.1:${port}/x`, options);
      expect(Math.min(triesOfRefused, lines.length - triesOfRefused)).to.be.greaterThan(1);
      expect(refused.code).to.equal('SourceUnreachable');
      expect(failed.code).to.equal('SourceUnreachable');
      expect(refused.message).to.equal(failed.message);
      function shown(line: string | undefined): object {
        const {
          time: _time,
          delayMs: _delayMs,
          ...rest
        } = JSON.parse(line ?? '{}') as Record<string, unknown>;
        return rest;
      }
      expect(shown(lines[0])).to.deep.equal(shown(lines[triesOfRefused]));
    });

    it('refuses a malformed URL or one with credentials without an attempt', async () => {
      for (const url of ['not a url', 'http://user:pw@127.0.0.1/', 'ftp://example.com/', 'http://a..b/'])
        expect(await failureAt(url), url).to.include({ code: 'SourceInvalid', retryable: false });
    });
  });

  describe('TLS', () => {
    const lookup: ResolveAll = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);

    function startTls(certificate: string, options: ServerOptions = {}): Promise<FileOrigin> {
      return startFileOrigin({
        scheme: 'https',
        makeServer: (listener) =>
          createTlsServer(
            { cert: certificateText(certificate), key: certificateText('server.key'), ...options },
            listener,
          ),
      });
    }

    async function failureFor(certificate: string, host = 'files.test.example', server: ServerOptions = {}) {
      const tls = await startTls(certificate, server);
      try {
        const agent = { lookup, trust };
        return await failureAt(`https://${host}:${tls.port}/gen/10/1`, {
          agent,
          settings: { sourceRetryLimitMs: 0 },
        });
      } finally {
        await tls[Symbol.asyncDispose]();
      }
    }

    it('reads from a server with a trusted certificate', async () => {
      const tls = await startTls('trusted.pem');
      const url = `https://files.test.example:${tls.port}/gen/100000/1`;
      const [entry] = await withReader([url], readAll, { agent: { lookup, trust } });
      expect(entry?.bytes.equals(generatedBytes(100_000, 1))).to.equal(true);
      await tls[Symbol.asyncDispose]();
    });

    it('reports why a certificate is not trusted, and does not retry (D14)', async () => {
      for (const [certificate, host, code] of [
        ['expired.pem', undefined, 'CERT_HAS_EXPIRED'],
        ['self-signed.pem', undefined, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
        ['trusted.pem', 'other.test.example', 'ERR_TLS_CERT_ALTNAME_INVALID'],
      ] as const) {
        const error = await failureFor(certificate, host);
        expect(error).to.include({ code: 'SourceTlsError', retryable: false });
        expect(error.message).to.include(code);
      }
    });

    it('refuses TLS 1.1 (D14)', async () => {
      const old: ServerOptions = {
        minVersion: 'TLSv1',
        maxVersion: 'TLSv1.1',
        ciphers: 'DEFAULT@SECLEVEL=0',
      };
      expect((await failureFor('trusted.pem', undefined, old)).code).to.equal('SourceTlsError');
    });

    it('refuses a redirect from https to http (S7)', async () => {
      const plain = `/redirect/302?to=${encodeURIComponent(origin.url('/gen/1/1'))}`;
      const tls = await startTls('trusted.pem');
      const error = await failureAt(`https://files.test.example:${tls.port}${plain}`, {
        agent: { lookup, trust },
      });
      expect(error).to.include({ code: 'SourceInvalid', retryable: false });
      expect(origin.connections).to.equal(0);
      await tls[Symbol.asyncDispose]();
    });
  });
});
