import { execFile } from 'node:child_process';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parseSigningSecret, signatureHeader } from '#controller/webhook/signature.ts';
import { deliveryCurl } from '#dashboard/webhook/delivery-curl.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';

const run = promisify(execFile);
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

describe('deliveryCurl', () => {
  it('sends the exact body with a valid signature (Q-U14)', async function () {
    await requirePrograms(this, ['curl', 'openssl']);
    const id = "msg_it's";
    const body = String.raw`{"metadata":{"order":1.0,"text":"it's $HOME \n ${'`'}id${'`'} ü % \\"}}`;
    let received: { readonly headers: IncomingHttpHeaders; readonly body: string } | undefined;
    const server = createServer((request, response) => {
      void text(request).then((sent) => {
        received = { headers: request.headers, body: sent };
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const script = deliveryCurl({ id, body })
        .replace('https://RECEIVER', `http://127.0.0.1:${port}`)
        .replace('whsec_SIGNING_SECRET', SECRET);
      await run('sh', ['-euc', script]);
    } finally {
      server.close();
      server.closeAllConnections();
    }
    expect(received?.body).to.equal(body);
    const {
      'webhook-timestamp': timestamp,
      'webhook-id': sentId,
      'webhook-signature': signature,
    } = received?.headers ?? {};
    expect(sentId).to.equal(id);
    const key = parseSigningSecret(SECRET) as Buffer;
    expect(signature).to.equal(signatureHeader({ id, timestamp: Number(timestamp), body }, [key]));
  });
});
