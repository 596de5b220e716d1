import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createDeliver } from '#controller/webhook/deliver.ts';
import { parseSigningSecret } from '#controller/webhook/signature.ts';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { createGuardedAgent } from '#runtime/egress/guarded-agent.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { startWebhookReceiver, verifyDelivery } from '#test/support/servers/webhook-receiver.ts';

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const keys = [parseSigningSecret(SECRET) ?? Buffer.alloc(0)];

async function withDeliver(
  options: { allowCidrs?: readonly string[]; allowHttp?: boolean; timeoutMs?: number },
  test: (deliver: ReturnType<typeof createDeliver>) => Promise<void>,
): Promise<void> {
  const policy = createEgressPolicy({ allowCidrs: options.allowCidrs ?? ['127.0.0.0/8'], denyCidrs: [] });
  const agent = createGuardedAgent(policy, { connections: 2 });
  try {
    await test(
      createDeliver({
        agent,
        policy,
        clock: systemClock,
        timeoutMs: options.timeoutMs ?? 2000,
        allowHttp: options.allowHttp ?? true,
      }),
    );
  } finally {
    await agent.destroy();
  }
}

async function withServer(listener: RequestListener, test: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await test(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

function delivery(url: string | undefined) {
  return { url, id: 'msg_1_COMPLETED', body: '{"a":1.0}', keys };
}

describe('deliver', () => {
  it('sends the exact body with the three headers, signed at the time of sending (W1, W6, W12)', async () => {
    await using receiver = await startWebhookReceiver();
    await withDeliver({}, async (deliver) => {
      const before = Math.floor(Date.now() / 1000);
      const reply = await deliver({ ...delivery(receiver.url), traceparent: '00-1-2-01' });
      expect(reply.delivery).to.include({ status: 204, bytes: 9 });
      const [seen] = receiver.deliveries;
      if (!seen) throw new Error('nothing was received');
      verifyDelivery(seen, SECRET);
      expect(seen.body).to.equal('{"a":1.0}');
      expect(seen.headers['webhook-id']).to.equal('msg_1_COMPLETED');
      expect(seen.headers['traceparent']).to.equal('00-1-2-01');
      const own = Object.keys(seen.headers).filter((name) => name.startsWith('webhook-'));
      expect(own).to.have.members(['webhook-id', 'webhook-timestamp', 'webhook-signature']);
      expect(seen.headers['webhook-timestamp']).to.match(/^\d{10}$/);
      expect(Number(seen.headers['webhook-timestamp'])).to.be.at.least(before);
    });
  });

  it('does not follow a redirect (W9)', async () => {
    const paths: (string | undefined)[] = [];
    await withServer(
      (request, response) => {
        paths.push(request.url);
        response.writeHead(307, { location: '/elsewhere' }).end();
      },
      (url) =>
        withDeliver({}, async (deliver) => {
          expect((await deliver(delivery(url))).delivery.status).to.equal(307);
          expect(paths).to.deep.equal(['/hook']);
        }),
    );
  });

  it('times out when the receiver accepts the connection and never responds (W8)', async () => {
    await withServer(
      () => undefined,
      (url) =>
        withDeliver({ timeoutMs: 100 }, async (deliver) => {
          expect((await deliver(delivery(url))).delivery).to.include({ error: 'timeout' });
        }),
    );
  });

  it('returns the status and closes the connection when the response body never ends (W8)', async () => {
    let hungUp: Promise<void> | undefined;
    await withServer(
      (request, response) => {
        hungUp = new Promise((resolve) => request.socket.once('close', resolve));
        response.writeHead(200);
        const chunk = Buffer.alloc(64 * 1024);
        function write(): void {
          while (!response.destroyed && response.write(chunk));
        }
        response.on('drain', write).on('error', () => undefined);
        write();
      },
      (url) =>
        withDeliver({}, async (deliver) => {
          expect((await deliver(delivery(url))).delivery.status).to.equal(200);
          await hungUp;
        }),
    );
  });

  it('returns the Retry-After of the receiver', async () => {
    await withServer(
      (_request, response) => response.writeHead(429, { 'retry-after': '7' }).end(),
      (url) =>
        withDeliver({}, async (deliver) => {
          expect(await deliver(delivery(url))).to.deep.include({ retryAfterMs: 7000 });
        }),
    );
  });

  const refused = [
    {
      name: 'plain HTTP unless it is allowed',
      options: { allowHttp: false },
      url: 'http://127.0.0.1:9998/',
      want: 'url-not-https',
    },
    {
      name: 'a private address',
      options: { allowCidrs: [] },
      url: 'http://127.0.0.1:9999/',
      want: 'unreachable',
    },
    { name: 'a closed port', options: {}, url: 'http://127.0.0.1:9999/', want: 'unreachable' },
    { name: 'a URL with a password', options: {}, url: 'http://a:b@127.0.0.1:9999/', want: 'unreachable' },
    { name: 'an invalid URL', options: {}, url: 'nowhere', want: 'url-invalid' },
    { name: 'no URL', options: {}, url: undefined, want: 'no-url' },
    {
      name: 'a URL that is too long',
      options: {},
      url: `https://a.example/${'x'.repeat(2_048)}`,
      want: 'url-invalid',
    },
  ];
  for (const { name, options, url, want } of refused)
    it(`fails for ${name}, with the same error class for a denied address as for a closed port (W13, H1)`, () =>
      withDeliver(options, async (deliver) => {
        expect((await deliver(delivery(url))).delivery).to.include({ error: want, bytes: 9 });
      }));

  it('sends nothing without a signing key', () =>
    withDeliver({}, async (deliver) => {
      const reply = await deliver({ ...delivery('http://127.0.0.1:9998/'), keys: [] });
      expect(reply.delivery.error).to.equal('no-signing-secret');
    }));
});
