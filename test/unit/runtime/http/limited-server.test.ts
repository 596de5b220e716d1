import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { createLimitedServer } from '#runtime/http/limited-server.ts';
import { until } from '#test/support/until.ts';

const SETTINGS = {
  headersTimeoutMs: 60_000,
  requestTimeoutMs: 60_000,
  timeoutCheckMs: 60_000,
  keepAliveTimeoutMs: 60_000,
  maxRequestsPerSocket: 1_000,
  maxHeaderBytes: 4_096,
};

function post(path: string, body = '', length = body.length): string {
  return `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n${body}`;
}

const BAD = 'x';
const LARGE = `GET /3 HTTP/1.1\r\nX-Large: ${'x'.repeat(8_192)}\r\n\r\n`;
const BAD_CHUNK = 'POST /2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nno length\r\n';

/** A server that responds with the path of a request when the test says so, and one connection to it. */
async function setUp(
  settings: Partial<typeof SETTINGS> = {},
  onRequest: (response: ServerResponse) => void = () => undefined,
) {
  const responses: ServerResponse[] = [];
  const listener: RequestListener = (_request, response) => {
    responses.push(response);
    onRequest(response);
  };
  const faults: string[] = [];
  const server = createLimitedServer({
    listener,
    settings: { ...SETTINGS, ...settings },
    reject: (fault) => {
      faults.push(fault);
      return { status: 400, contentType: 'text/plain', body: fault };
    },
  });
  let errors = 0;
  server.prependListener('clientError', () => {
    errors += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const received = text(socket);
  return {
    socket,
    received,
    responses,
    faults,
    errors: () => errors,
    /** All that the client receives until the server closes the connection, by response. */
    statuses: async () =>
      (await received).match(/HTTP\/1\.1 \d+|\r\n\r\n\/\d|\r\n\r\n[a-z-]+/g)?.map((part) => part.trim()),
    [Symbol.asyncDispose]: async () => {
      socket.destroy();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

describe('createLimitedServer', () => {
  for (const [what, rest] of Object.entries({
    'a byte after its body': BAD,
    'headers that are too large': LARGE,
    'a request with a bad chunk': BAD_CHUNK,
  }))
    it(`sends the response of a request that is followed by ${what}, then closes the connection (BC10)`, async () => {
      await using world = await setUp();
      world.socket.write(post('/1', 'body') + rest);
      await until('the error', () => world.errors() > 0);
      world.socket.write('more');
      await until('the next error', () => world.errors() > 1);
      world.responses[0]?.end('/1');
      expect(await world.statuses()).to.deep.equal(['HTTP/1.1 200', '/1']);
      expect(await world.received).to.contain('Connection: close');
      expect(world.faults).to.deep.equal([]);
    });

  it('completes a response that has started before the error (BC10)', async () => {
    await using world = await setUp({}, (response) => response.write('/1'));
    world.socket.write(post('/1') + BAD);
    await until('the error', () => world.errors() > 0);
    world.responses[0]?.end('the end');
    expect(await world.received).to.match(/\/1\r\n7\r\nthe end\r\n0\r\n\r\n$/);
  });

  it('sends all responses of complete requests before the error (BC10)', async () => {
    await using world = await setUp();
    world.socket.write(post('/1') + post('/2') + BAD);
    await until('the error', () => world.errors() > 0);
    world.responses[1]?.end('/2');
    world.responses[0]?.end('/1');
    expect(await world.statuses()).to.deep.equal(['HTTP/1.1 200', '/1', 'HTTP/1.1 200', '/2']);
  });

  it('rejects what is no request on a connection without a pending response', async () => {
    await using world = await setUp({}, (response) => response.end(response.req.url));
    world.socket.write(post('/1'));
    await until('the first response', () => world.responses[0]?.writableFinished);
    world.socket.write(BAD);
    world.socket.write('\r\n\r\n');
    expect(await world.statuses()).to.deep.equal(['HTTP/1.1 200', '/1', 'HTTP/1.1 400', 'malformed']);
  });

  it('rejects a request whose body is invalid while its handler waits for it', async () => {
    await using world = await setUp();
    world.socket.write(BAD_CHUNK);
    expect(await world.statuses()).to.deep.equal(['HTTP/1.1 400', 'malformed']);
  });

  it('sends no second response to a request whose body is invalid after its response (BC10)', async () => {
    await using world = await setUp({}, (response) => response.end('/2'));
    const [head = '', chunk = ''] = BAD_CHUNK.split(/(?<=\r\n\r\n)/);
    world.socket.write(head);
    await until('the response', () => world.responses[0]?.writableFinished);
    world.socket.write(chunk);
    expect(await world.statuses()).to.deep.equal(['HTTP/1.1 200', '/2']);
  });
});
