import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { accessCluster } from '#cli/cluster-access.ts';
import { readCommandLineConfig } from '#cli/config.ts';
import { ConfigError } from '#runtime/errors.ts';

function aKubeconfig(name: string) {
  return JSON.stringify({
    'current-context': name,
    contexts: [{ name, context: { cluster: name, user: name, namespace: `space-of-${name}` } }],
    clusters: [{ name, cluster: { server: `https://${name}.test` } }],
    users: [{ name, user: { token: 't' } }],
  });
}

describe('accessCluster', () => {
  // Loads the whole client library, which is slow on a busy machine.
  before(async function () {
    this.timeout(60_000);
    await import('#runtime/kube/client/kubeconfig-file.ts');
  });
  let dir = '';
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'cluster-access-'));
    for (const name of ['one', 'two']) await writeFile(join(dir, name), aKubeconfig(name));
  });
  afterEach(() => rm(dir, { recursive: true }));

  function access(env: Readonly<Record<string, string>>, kubeconfig?: string) {
    return accessCluster({ kubeconfig, context: undefined }, readCommandLineConfig({ HOME: dir, ...env }), {
      cwd: dir,
    });
  }

  it('prefers --kubeconfig to KUBECONFIG', async () => {
    const KUBECONFIG = join(dir, 'one');
    expect((await access({ KUBECONFIG })).namespace).to.equal('space-of-one');
    expect((await access({ KUBECONFIG }, join(dir, 'two'))).namespace).to.equal('space-of-two');
  });

  it('reads relative paths from the working directory', async () => {
    expect((await access({ KUBECONFIG: 'one' })).server).to.equal('https://one.test');
    expect((await access({ KUBECONFIG: 'one' }, './two')).server).to.equal('https://two.test');
  });

  it('skips missing files of a list', async () => {
    const KUBECONFIG = [join(dir, 'none'), join(dir, 'two'), join(dir, 'one')].join(delimiter);
    expect((await access({ KUBECONFIG })).server).to.equal('https://two.test');
  });

  it('reads the kubeconfig of the home directory', async () => {
    await mkdir(join(dir, '.kube'));
    await writeFile(join(dir, '.kube', 'config'), aKubeconfig('home'));
    expect((await access({})).server).to.equal('https://home.test');
  });

  it('uses the service account of the pod if there is no kubeconfig', async () => {
    await writeFile(join(dir, 'namespace'), 'acme\n');
    const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', SERVICE_ACCOUNT_DIR: dir };
    expect(await access(env)).to.include({ server: 'https://10.0.0.1:443', namespace: 'acme' });
  });

  it('suggests --kubeconfig or KUBECONFIG if no cluster is configured', async () => {
    const error: unknown = await access({}).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(ConfigError);
    expect(String(error)).to.contain('--kubeconfig or KUBECONFIG');
  });
});
