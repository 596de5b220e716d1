import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { accessOfKubeconfig } from '#runtime/kube/client/kubeconfig-file.ts';

function aConfig(name: string, currentContext?: string) {
  return {
    ...(currentContext !== undefined && { 'current-context': currentContext }),
    contexts: [
      { name, context: { cluster: name, user: name, namespace: `${name}-space` } },
      { name: `${name}-other`, context: { cluster: name, user: name, namespace: 'other' } },
    ],
    clusters: [{ name, cluster: { server: `https://${name}.test` } }],
    users: [{ name, user: { token: `token-of-${name}` } }],
  };
}

describe('accessOfKubeconfig', () => {
  let dir = '';
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
  });
  afterEach(() => rm(dir, { recursive: true }));

  async function write(name: string, config: unknown): Promise<string> {
    const file = join(dir, name);
    await writeFile(file, JSON.stringify(config));
    return file;
  }

  it('uses the given context', async () => {
    const files = [await write('a', aConfig('one', 'one'))];
    const access = accessOfKubeconfig({ files, context: 'one-other' });
    expect(access.namespace).to.equal('other');
    expect(access.knownNamespaces).to.have.members(['one-space', 'other']);
    expect(() => accessOfKubeconfig({ files, context: 'none' })).to.throw(
      /no context 'none'; it has: one, one-other/,
    );
  });

  it('merges several files, and earlier files win', async () => {
    const same = { ...aConfig('one'), users: [{ name: 'one', user: { token: 'later' } }] };
    const files = [
      await write('a', aConfig('one')),
      await write('b', aConfig('two', 'two')),
      await write('c', same),
    ];
    const access = accessOfKubeconfig({ files });
    expect(access.server).to.equal('https://two.test');
    expect(access.namespace).to.equal('two-space');
    const { headers } = await accessOfKubeconfig({ files, context: 'one' }).credentials();
    expect(headers).to.deep.equal({ authorization: 'Bearer token-of-one' });
  });
});
