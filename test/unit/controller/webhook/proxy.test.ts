import { expect } from 'chai';
import { createSender } from '#controller/webhook/sender.ts';
import { parseSigningSecret } from '#controller/webhook/signature.ts';
import { archiveJob } from '#controller/zip-job/manifest/job-manifest.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { BUILT_IN_TRUST } from '#runtime/tls/trust.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { aZipBucket, aZipJob } from '#test/support/builders/objects.ts';
import { type ConnectProxyOptions, startConnectProxy } from '#test/support/servers/connect-proxy.ts';
import { startWebhookReceiver } from '#test/support/servers/webhook-receiver.ts';

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const keys = [parseSigningSecret(SECRET) ?? Buffer.alloc(0)];

describe('the proxy for webhooks', () => {
  /** The delivery to a name that only the proxy can resolve, and the targets of the proxy. */
  async function send(options: ConnectProxyOptions, noProxy: readonly string[] = []) {
    await using receiver = await startWebhookReceiver();
    await using proxy = await startConnectProxy(options);
    await using resources = new AsyncDisposableStack();
    const config = aConfig({
      webhookAllowHttp: true,
      webhookProxyUrl: proxy.url,
      webhookNoProxy: noProxy,
      webhookProxyUsername: 'zip',
      webhookProxyPassword: 'secret',
    });
    const secrets = { get: () => Promise.resolve(undefined) };
    const sender = createSender({ config, secrets, clock: systemClock, trust: BUILT_IN_TRUST, resources });
    const url = `http://hooks.test.example:${new URL(receiver.url).port}`;
    const { delivery } = await sender.deliver({ url, id: 'msg_1', body: '{}', keys });
    return { delivery, targets: proxy.targets, received: receiver.deliveries.length };
  }

  it('delivers them with its credentials (X23)', async () => {
    const { delivery, targets, received } = await send({ credentials: 'zip:secret' });
    expect(delivery.status).to.equal(204);
    expect(received).to.equal(1);
    expect(targets[0]).to.match(/^hooks\.test\.example:\d+$/);
  });

  for (const [error, options] of [
    ['proxy-authentication-required', { credentials: 'zip:other' }],
    ['proxy-forbidden', { refuse: () => 403 }],
    ['proxy-unavailable', { refuse: () => 503 }],
  ] as const)
    it(`reports ${error} (X23)`, async () => {
      const { delivery, received } = await send(options);
      expect(delivery).to.include({ error });
      expect(received).to.equal(0);
    });

  it('is not used for exceptions (X23)', async () => {
    const { delivery, targets } = await send({}, ['.test.example']);
    expect(delivery).to.include({ error: 'unreachable' });
    expect(targets).to.deep.equal([]);
  });
});

describe('the credentials of the proxies of zippers', () => {
  it('come from Secrets of the project, and nobody can override them (X23)', () => {
    const config = aConfig({
      zipperProxySecrets: { SOURCE: 'proxy-login' },
      zipperEnv: { SOURCE_PROXY_USERNAME: 'x' },
    });
    const job = archiveJob(aZipJob(), aZipBucket(), config);
    const env = job.spec?.template.spec?.containers[0]?.env ?? [];
    expect(env.filter(({ name }) => name.includes('PROXY'))).to.deep.equal([
      {
        name: 'SOURCE_PROXY_USERNAME',
        valueFrom: { secretKeyRef: { name: 'proxy-login', key: 'username' } },
      },
      {
        name: 'SOURCE_PROXY_PASSWORD',
        valueFrom: { secretKeyRef: { name: 'proxy-login', key: 'password' } },
      },
    ]);
  });
});
