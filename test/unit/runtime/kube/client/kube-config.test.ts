import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ConfigError } from '#runtime/errors.ts';
import { createKubeConfig } from '#runtime/kube/client/kube-config.ts';

const SETTINGS = {
  kubeconfig: '',
  serviceAccountDir: '',
  kubernetesHost: '10.0.0.1',
  kubernetesPort: 6443,
  kubeRequestTimeoutMs: 1_000,
};

async function refused(settings: typeof SETTINGS, text: string): Promise<void> {
  const error: unknown = await createKubeConfig(settings).catch((thrown: unknown) => thrown);
  expect(error).to.be.instanceOf(ConfigError);
  expect(String(error)).to.include(text);
}

describe('createKubeConfig', () => {
  let dir = '';
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'kube-config-'));
    await writeFile(join(dir, 'token'), 'first\n');
    await writeFile(join(dir, 'ca.crt'), 'authority');
  });
  afterEach(() => rm(dir, { recursive: true }));

  it("uses the pod's service account inside a cluster, and rereads its token", async () => {
    const access = await createKubeConfig({ ...SETTINGS, serviceAccountDir: dir });
    expect(access.server).to.equal('https://10.0.0.1:6443');
    const { headers, tls } = await access.credentials();
    expect(headers).to.deep.equal({ authorization: 'Bearer first' });
    expect(String(tls.ca)).to.equal('authority');
    await writeFile(join(dir, 'token'), 'second');
    expect((await access.credentials({ forget: true })).headers).to.deep.equal({
      authorization: 'Bearer second',
    });
  });

  it('brackets an IPv6 address', async () => {
    const access = await createKubeConfig({ ...SETTINGS, serviceAccountDir: dir, kubernetesHost: 'fd00::1' });
    expect(access.server).to.equal('https://[fd00::1]:6443');
  });

  it('uses the given kubeconfig file', async () => {
    const file = join(dir, 'config');
    const config = {
      'current-context': 'here',
      contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
      clusters: [
        { name: 'c', cluster: { server: 'https://example.test:1/', 'certificate-authority-data': 'YWJj' } },
      ],
      users: [{ name: 'u', user: { 'client-certificate-data': 'Y2VydA==', 'client-key-data': 'a2V5' } }],
    };
    await writeFile(file, JSON.stringify(config));
    const access = await createKubeConfig({ ...SETTINGS, kubeconfig: file });
    expect(access.server).to.equal('https://example.test:1');
    const { headers, tls } = await access.credentials();
    expect(headers).to.deep.equal({});
    expect([tls.ca, tls.cert, tls.key].map(String)).to.deep.equal(['abc', 'cert', 'key']);
  });

  it('refuses an unsupported kubeconfig', async () => {
    const file = join(dir, 'config');
    const proxied = {
      'current-context': 'here',
      contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: 'https://example.test', 'proxy-url': 'http://proxy' } }],
      users: [{ name: 'u', user: {} }],
    };
    await writeFile(file, JSON.stringify(proxied));
    await refused({ ...SETTINGS, kubeconfig: file }, 'proxy-url');
    await writeFile(file, JSON.stringify({ ...proxied, 'current-context': 'none' }));
    await refused({ ...SETTINGS, kubeconfig: file }, 'no current context');
  });

  it('reports missing settings', async () => {
    await refused({ ...SETTINGS, kubernetesHost: '' }, 'KUBERNETES_SERVICE_HOST');
    const none = join(dir, 'none');
    await refused({ ...SETTINGS, kubeconfig: none }, `The kubeconfig ${none} cannot be read`);
  });
});
