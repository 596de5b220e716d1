import { expect } from 'chai';
import { readControllerConfig } from '#controller/config/config.ts';
import { readPodConfig } from '#zipper-image/config.ts';
import { envOf, find, plainEnv, refusalOf, render, zipperPolicy } from './render.ts';

const PROXY = {
  proxy: {
    sources: {
      url: 'http://sources.proxy.example:3128',
      credentialSecretRef: 'proxy-login',
      noProxy: ['10.0.0.0/8', '.example.com'],
    },
    stores: { url: 'https://stores.proxy.example' },
    webhooks: {
      url: 'http://192.0.2.1:3128',
      credentialSecretRef: 'webhook-login',
      noProxy: ['*.corp.example:8443'],
    },
  },
};

describe('the proxies of the chart', function () {
  this.timeout(30 * 60_000);

  it('are absent by default (X23)', async () => {
    const objects = await render();
    expect(JSON.stringify(objects.filter(({ kind }) => kind === 'Deployment'))).not.to.contain('PROXY_U');
    expect(zipperPolicy(objects)).not.to.contain('_PROXY');
  });

  it('reach the controller and the zippers, each for its purpose (X23)', async () => {
    const objects = await render(PROXY);
    const controller = readControllerConfig(plainEnv(envOf(objects, 'controller')));
    expect(controller.webhookProxyUrl).to.equal('http://192.0.2.1:3128');
    expect(controller.webhookNoProxy).to.deep.equal(['*.corp.example:8443']);
    expect(controller.zipperProxySecrets).to.deep.equal({ SOURCE: 'proxy-login' });
    const zipper = readPodConfig({ ...controller.zipperEnv, POD_UID: 'u' });
    expect(zipper.sourceProxyUrl).to.equal('http://sources.proxy.example:3128');
    expect(zipper.sourceNoProxy).to.deep.equal(['10.0.0.0/8', '.example.com']);
    expect(zipper.storeProxyUrl).to.equal('https://stores.proxy.example');
    expect(zipper.storeNoProxy).to.deep.equal([]);
  });

  it('have credentials from Secrets only (X23)', async () => {
    const objects = await render(PROXY);
    const env = envOf(objects, 'controller');
    for (const key of ['username', 'password'])
      expect(env.get(`WEBHOOK_PROXY_${key.toUpperCase()}`)).to.deep.equal({
        name: `WEBHOOK_PROXY_${key.toUpperCase()}`,
        valueFrom: { secretKeyRef: { name: 'webhook-login', key } },
      });
    const policy = zipperPolicy(objects);
    expect(policy).to.contain('SOURCE_PROXY_PASSWORD').and.to.contain('proxy-login');
    expect(policy).not.to.contain('STORE_PROXY_PASSWORD');
  });

  it('are open in the NetworkPolicies (X23)', async () => {
    const objects = await render({
      networkPolicies: { enabled: true, apiServerCidrs: ['192.0.2.9/32'], proxyCidrs: ['10.7.0.0/24'] },
    });
    const policy = find(objects, 'NetworkPolicy', 'zipjobs-controller');
    expect(JSON.stringify(policy)).to.contain('{"ipBlock":{"cidr":"10.7.0.0/24"}}');
    const controller = readControllerConfig(plainEnv(envOf(objects, 'controller')));
    expect(controller.proxyCidrs).to.deep.equal(['10.7.0.0/24']);
  });

  it('must be http or https URLs without credentials, and have valid exceptions (X23)', async () => {
    for (const [sources, message] of [
      [{ url: 'socks5://proxy.example:1080' }, 'proxy.sources.url is not an http:// or https:// URL'],
      [{ url: 'http://user:hunter2@proxy.example' }, 'set proxy.sources.credentialSecretRef'],
      [{ url: 'http://proxy.example/path' }, 'without credentials and path'],
      [{ noProxy: ['https://example.com'] }, 'proxy.sources.noProxy contains "https://example.com"'],
      [{ credentialSecretRef: 'A b' }, "values don't meet the specifications of the schema"],
      [{ colour: 'red' }, "values don't meet the specifications of the schema"],
    ] as const)
      expect(await refusalOf({ 'proxy.sources': sources })).to.contain(message);
  });
});
