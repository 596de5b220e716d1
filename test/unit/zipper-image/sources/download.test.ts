import { once } from 'node:events';
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import { failureOfResponse, rawServer } from './raw-server.ts';
import { failureAt, type HarnessOptions, readAll, withReader } from './source-harness.ts';

const TEMPORARY = [
  408, 425, 429, 500, 502, 503, 504, 506, 507, 508, 509, 510, 511, 520, 521, 522, 523, 524, 525, 526, 527,
  529, 530, 599,
];

const gzipped = gzipSync('hello hello hello hello');
describe('download', () => {
  let origin: FileOrigin;
  beforeEach(async () => {
    origin = await startFileOrigin({
      routes: {
        '/gzip': (_request, response) => {
          response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': gzipped.byteLength });
          response.end(gzipped);
        },
        '/dated': (_request, response) => {
          response.writeHead(200, { 'last-modified': 'Wed, 21 Oct 2015 07:28:00 GMT', 'set-cookie': 'a=b' });
          response.end('x');
        },
        '/undated': (_request, response) => {
          response.writeHead(200, { 'last-modified': '-1' }).end('x');
        },
        '/endless': async ({ signal }, response) => {
          const block = Buffer.alloc(64 * 1024);
          response.writeHead(200);
          while (!signal.aborted)
            if (!response.write(block)) await once(response, 'drain', { signal }).catch(() => undefined);
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

  it('reads a file with its length', async () => {
    const entry = await read('/gen/300000/7');
    expect(entry.bytes.equals(generatedBytes(300_000, 7))).to.equal(true);
    expect(entry).to.include({
      index: 0,
      filename: 'file-0',
      declaredLength: 300_000,
      lengthUnverified: false,
    });
  });

  it('reads a chunked file, and an empty one', async () => {
    const entry = await read('/chunked/300000/7/1000');
    expect(entry.bytes.equals(generatedBytes(300_000, 7))).to.equal(true);
    expect(entry).to.include({ declaredLength: undefined, lengthUnverified: false });
    const empty = await read('/gen/0/1');
    expect(empty.small).to.have.length(0);
    expect(empty.bytes).to.have.length(0);
  });

  it('marks a file whose only end is the end of the connection (D3)', async () => {
    await using server = await rawServer('HTTP/1.0 200 OK\r\n\r\nhello');
    const [entry] = await withReader([server.url], readAll);
    expect(entry?.bytes.toString()).to.equal('hello');
    expect(entry?.lengthUnverified).to.equal(true);
  });

  it('sends its User-Agent and identity encoding, but no cookie or referer, also after a redirect (D9) (D16)', async () => {
    await read('/dated');
    await read('/hops/1/10/1');
    for (const { headers } of origin.requests) {
      expect(headers).to.include({ 'accept-encoding': 'identity' });
      expect(headers).to.not.have.any.keys('cookie', 'referer', 'authorization', 'range');
    }
    expect(origin.requests.at(-1)?.headers['user-agent']).to.equal('zipjobs');
  });

  it('keeps encoded bytes unchanged, with their length, and marks the file (D9)', async () => {
    const entry = await read('/gzip');
    expect(entry.bytes.equals(gzipped)).to.equal(true);
    expect(entry).to.include({ declaredLength: gzipped.byteLength, contentEncoded: true });
  });

  it('reads Last-Modified and ignores an invalid date (FD17)', async () => {
    expect((await read('/dated')).lastModified?.toISOString()).to.equal('2015-10-21T07:28:00.000Z');
    expect((await read('/undated')).lastModified).to.equal(undefined);
  });

  describe('statuses', () => {
    for (const status of [400, 401, 403, 404, 410, 451, 501, 505]) {
      it(`fails immediately on ${status} (D12)`, async () => {
        const error = await failureAt(origin.url(`/status/${status}?X-Amz-Signature=secret`));
        expect(error).to.include({
          code: 'SourceNotFound',
          fileIndex: 0,
          httpStatus: status,
          retryable: false,
        });
        expect(error.message)
          .to.include('file 0')
          .and.to.include(String(status))
          .and.to.not.include('secret');
        expect(origin.requests).to.have.length(1);
      });
    }

    for (const status of [201, 204, 205, 206, 300, 304, 305]) {
      it(`does not accept ${status} as a file (D5)`, async () => {
        const error = await failureAt(origin.url(`/status/${status}`));
        expect(error).to.include({ code: 'SourceInvalid', httpStatus: status, retryable: false });
        expect(origin.requests).to.have.length(1);
      });
    }

    it('names a status that the definition of ZipJob does not allow only in the message', async () => {
      const error = await failureAt(origin.url('/status/999'));
      expect(error).to.include({ code: 'SourceNotFound', httpStatus: undefined, retryable: false });
      expect(error.details).not.to.have.property('httpStatus');
      expect(error.message).to.include('status 999');
    });

    for (const status of TEMPORARY) {
      it(`retries ${status} (D12) (FD4)`, async () => {
        const entry = await read(`/flaky/5/${status}/1000/1`);
        expect(entry.bytes.equals(generatedBytes(1000, 1))).to.equal(true);
        expect(origin.requests).to.have.length(6);
        const error = await failureAt(origin.url(`/flaky/2/${status}/1000/2`));
        expect(error).to.include({ code: 'SourceUnavailable', httpStatus: status, retryable: true });
        expect(origin.requests).to.have.length(7);
      });
    }

    it('fails after the time for retries (D12)', async () => {
      const settings = { sourceRetryLimitMs: 100 };
      const error = await failureAt(origin.url('/flaky/1000000/500/1000/2'), { settings });
      expect(error).to.include({ code: 'SourceUnavailable', httpStatus: 500, retryable: true });
      expect(origin.requests.length).to.be.greaterThan(1);
    });

    it('waits for Retry-After (D12)', async () => {
      const startedAt = performance.now();
      await read('/flaky/1/429/10/1?retry-after=1');
      expect(performance.now() - startedAt).to.be.at.least(990);
    });

    it('waits the maximum, and tries again, if Retry-After is longer (FD19)', async () => {
      const settings = { sourceRetryAfterMaxMs: 300, sourceRetryLimitMs: 100 };
      const startedAt = performance.now();
      const entry = await read('/flaky/1/503/10/1?retry-after=3600', { settings });
      expect(entry.bytes.equals(generatedBytes(10, 1))).to.equal(true);
      expect(performance.now() - startedAt).to.be.at.least(290);
      expect(origin.requests).to.have.length(2);
    });
  });

  describe('broken bodies', () => {
    it('refuses a truncated body, and retries if no byte was delivered (D1)', async () => {
      const entry = await read('/die/999/1000/1?times=2');
      expect(entry.bytes.equals(generatedBytes(1000, 1))).to.equal(true);
      expect(await failureAt(origin.url('/die/999/1000/1'))).to.include({
        code: 'SourceTruncated',
        retryable: true,
      });
      for (const reply of [
        'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello',
        'HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nhello',
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n',
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel',
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n',
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n',
      ])
        expect((await failureOfResponse(reply)).code, reply).to.equal('SourceTruncated');
    });

    it('reads only the declared length of a longer body (D2)', async () => {
      await using server = await rawServer(
        'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and more',
        false,
      );
      const [entry] = await withReader([server.url], readAll);
      expect(entry?.bytes.toString()).to.equal('hello');
    });

    it('refuses responses with a contradictory or negative length (D4)', async () => {
      for (const headers of [
        'Content-Length: 5\r\nContent-Length: 6',
        'Content-Length: 5\r\nTransfer-Encoding: chunked',
        'Content-Length: -1',
        'Content-Length: 5, 5',
        'Content-Length: 0x5',
      ])
        expect(
          (await failureOfResponse(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\nhello`)).code,
          headers,
        ).to.equal('SourceInvalid');
    });

    it('refuses invalid HTTP, too many headers and protocol upgrades (S47)', async () => {
      expect((await failureOfResponse('SSH-2.0-OpenSSH_9.6\r\n')).code).to.equal('SourceInvalid');
      const wordy = `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`;
      expect((await failureOfResponse(wordy)).code).to.equal('SourceInvalid');
      const switching = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n';
      expect((await failureOfResponse(switching)).code).to.equal('SourceInvalid');
      const hints = 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000);
      expect((await failureOfResponse(hints)).code).to.equal('SourceInvalid');
    });

    it('stops reading a response whose headers never end (S47)', async () => {
      let sent = 0;
      const server = createServer((socket) => {
        socket.on('error', () => undefined).write('HTTP/1.1 200 OK\r\n');
        function more(): void {
          const line = `x-${sent}: ${'a'.repeat(4000)}\r\n`;
          sent += line.length;
          if (!socket.destroyed) socket.write(line, () => setImmediate(more));
        }
        more();
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : 0;
      const error = await failureAt(`http://127.0.0.1:${port}/`);
      server.close();
      await once(server, 'close');
      expect(error).to.include({ code: 'SourceInvalid', retryable: false });
      expect(sent).to.be.below(1024 * 1024);
    });

    it('stops at the size limit, declared or received, and closes the connection (D11) (D16)', async () => {
      const settings = { maxArchiveBytes: 2_000_000 };
      const declared = await failureAt(origin.url('/gen/2000001/1'), { settings });
      expect(declared).to.include({ code: 'SourceTooLarge', retryable: false });
      expect(await failureAt(origin.url('/endless'), { settings })).to.include({ code: 'SourceTooLarge' });
      expect((await read('/gen/2000000/1', { settings })).bytes).to.have.length(2_000_000);
    });
  });

  describe('stalls', () => {
    const settings = { sourceIdleTimeoutMs: 60, sourceRetryLimitMs: 0 };

    it('times out if a source stops sending (D10)', async () => {
      const error = await failureAt(origin.url('/stall/500/1000/1'), { settings });
      expect(error).to.include({ code: 'SourceStalled', retryable: true });
      expect(origin.requests).to.have.length(1);
      const repeated = { ...settings, sourceRetryLimitMs: 30_000 };
      const entry = await read('/stall/500/1000/2?times=1', { settings: repeated });
      expect(entry.bytes.equals(generatedBytes(1000, 2))).to.equal(true);
    });

    it('times out if a source never sends its headers (D10)', async () => {
      const error = await failureAt(origin.url('/silent'), {
        settings: { sourceHeadersTimeoutMs: 40, sourceRetryLimitMs: 0 },
      });
      expect(error.code).to.equal('SourceStalled');
      expect(origin.requests).to.have.length(1);
    });

    it('times out if a source sends below the minimum rate (D10)', async () => {
      const rate = { sourceMinRateBytes: 10_000, sourceMinRateWindowMs: 100, sourceRetryLimitMs: 0 };
      const error = await failureAt(origin.url('/drip/1/10/1000/1'), { settings: rate });
      expect(error.code).to.equal('SourceStalled');
      expect(error.message).to.include('bytes per second');
    });

    it('does not blame the source for a slow reader', async () => {
      const bytes = 20 * 1024 * 1024;
      await withReader(
        [origin.url(`/gen/${bytes}/1`)],
        async (reader) => {
          let total = 0;
          for await (const { body } of reader.entries())
            for await (const chunk of body) {
              if (total === 0) await new Promise((resolve) => setTimeout(resolve, 200));
              total += chunk.byteLength;
            }
          expect(total).to.equal(bytes);
        },
        { settings: { ...settings, sourceBufferBytes: 4 * 1024 * 1024 } },
      );
    });
  });
});
