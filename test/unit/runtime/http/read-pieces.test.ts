import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { readPieces } from '#runtime/http/read-pieces.ts';
import { rawHttp } from '#test/support/clients/raw-http.ts';
import { until } from '#test/support/until.ts';

const HEAD = 'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n';
const MAX_BYTES = 50_000;

describe('readPieces', () => {
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let bytes = 0;
    const pieces: number[] = [];
    try {
      const body = readPieces(request, (arrived) => {
        bytes += arrived;
        if (bytes > MAX_BYTES) throw new Error('too much');
      });
      for await (const piece of body) pieces.push((piece as Buffer).length);
    } catch (error) {
      request.resume();
      response.end(String(error));
      return;
    }
    response.end(
      JSON.stringify({ bytes: pieces.reduce((sum, size) => sum + size, 0), count: pieces.length }),
    );
  }
  const server = createServer((request, response) => void respond(request, response));
  before((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  after((done) => {
    server.close(done);
  });
  function send(parts: readonly string[]): Promise<string> {
    return rawHttp((server.address() as AddressInfo).port, [HEAD, ...parts]);
  }

  it('joins chunks of one byte, which would take far more memory than their bytes (N7)', async () => {
    const response = await send([...Array<string>(20).fill('1\r\nx\r\n'.repeat(2_000)), '0\r\n\r\n']);
    const { bytes, count } = JSON.parse(response.split('\r\n\r\n')[1] ?? '') as Record<string, number>;
    expect(bytes).to.equal(40_000);
    expect(count).to.be.below(1_000);
  });

  it('gives body parsers no encoding, so that they decompress nothing (N29)', () => {
    const request = Object.assign(new PassThrough(), { headers: { 'content-encoding': 'br', host: 'a' } });
    const body = readPieces(request as unknown as IncomingMessage, () => undefined);
    expect(body.headers).to.deep.equal({ host: 'a' });
    body.destroy();
  });

  it('stops at the first byte too many, and lets the rest be discarded', async () => {
    const response = await send(['ffff\r\n', 'x'.repeat(65_535), '\r\n', '0\r\n\r\n']);
    expect(response).to.contain('too much');
  });

  it('reports no bytes that arrive after its reader has destroyed it (N7)', async () => {
    const request = new PassThrough();
    let bytes = 0;
    const body = readPieces(
      Object.assign(request, { headers: {} }) as unknown as IncomingMessage,
      (arrived) => {
        bytes += arrived;
      },
    );
    body.resume();
    request.write('first');
    await until('the first bytes to arrive', () => bytes === 5);
    body.destroy();
    request.write('second');
    await until('the second bytes to be read', () => request.readableLength === 0);
    expect(bytes).to.equal(5);
  });
});
