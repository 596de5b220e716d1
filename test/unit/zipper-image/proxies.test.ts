/** Which proxies a zipper process uses. */
import { expect } from 'chai';
import { runZipper, ZipperHost } from '#test/support/processes/zipper-process.ts';
import { proxyVariables, startConnectProxy } from '#test/support/servers/connect-proxy.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import { type HostileStore, startHostileStore } from '#test/support/servers/hostile-store.ts';

const CREDENTIALS = { user: 'zip', password: 'CANARY-of-the-proxy' };
const ENV = {
  STORE_RETRY_LIMIT_MS: '0',
  SOURCE_RETRY_LIMIT_MS: '0',
  PART_SIZE_BYTES: String(5 * 1024 * 1024),
  LOG_LEVEL: 'trace',
};

function credentialsOf(purpose: 'SOURCE' | 'STORE', password = CREDENTIALS.password) {
  return {
    [`${purpose}_PROXY_USERNAME`]: CREDENTIALS.user,
    [`${purpose}_PROXY_PASSWORD`]: password,
  };
}

describe('the proxies of a zipper', function () {
  this.timeout(120_000);
  let host: ZipperHost;
  let origin: FileOrigin;
  let store: HostileStore;
  const started = new AsyncDisposableStack();
  before(async () => {
    host = started.use(await ZipperHost.start());
    origin = started.use(await startFileOrigin());
    store = started.use(await startHostileStore());
  });
  after(() => started.disposeAsync());

  /** Runs a job whose source and store have names that only a proxy can resolve. */
  async function run(env: Readonly<Record<string, string>>) {
    const program = await host.prepare({
      endpoint: `http://store.test.example:${new URL(store.endpoint).port}`,
      bucket: 'bucket',
      key: 'a.zip',
      files: [{ url: `http://files.test.example:${origin.port}/gen/1000/1`, filename: 'a.bin' }],
      env: { ...ENV, STORE_ALLOWED_HOSTS: 'store.test.example', ...env },
    });
    const { code, output, message } = await runZipper(program);
    expect(output + message).not.to.contain(CREDENTIALS.password);
    const { failure } = JSON.parse(message) as { failure?: { code: string; message: string } };
    return { code, failure };
  }
  const credentials = `${CREDENTIALS.user}:${CREDENTIALS.password}`;

  it('are separate for sources and stores, and those of the environment are ignored (X23)', async () => {
    await using sources = await startConnectProxy({ credentials });
    await using stores = await startConnectProxy();
    await using decoy = await startConnectProxy();
    const own = { SOURCE_PROXY_URL: sources.url, STORE_PROXY_URL: stores.url };
    const { code, failure } = await run({ ...proxyVariables(decoy.url), ...own, ...credentialsOf('SOURCE') });
    expect(code, JSON.stringify(failure)).to.equal(0);
    expect(new Set(sources.targets)).to.deep.equal(new Set([`files.test.example:${origin.port}`]));
    expect(new Set(stores.targets)).to.deep.equal(
      new Set([`store.test.example:${new URL(store.endpoint).port}`]),
    );
    expect([...decoy.targets, ...decoy.others]).to.deep.equal([]);
  });

  for (const [purpose, prefix] of [
    ['sources', 'Source'],
    ['stores', 'Store'],
  ] as const)
    it(`for ${purpose} have failure codes for 407 and 403, which name the purpose (X23)`, async () => {
      await using open = await startConnectProxy();
      await using closed = await startConnectProxy({ credentials, refuse: () => 403 });
      const variable = prefix === 'Source' ? 'SOURCE' : 'STORE';
      const both = {
        SOURCE_PROXY_URL: open.url,
        STORE_PROXY_URL: open.url,
        [`${variable}_PROXY_URL`]: closed.url,
      };
      const { failure } = await run({ ...both, ...credentialsOf(variable, 'wrong') });
      expect(failure?.code).to.equal(`${prefix}ProxyAuthenticationRequired`);
      expect(failure?.message).to.contain(`the proxy for ${purpose}`).and.contain('407');
      const { failure: forbidden } = await run({ ...both, ...credentialsOf(variable) });
      expect(forbidden?.code).to.equal(`${prefix}ProxyForbidden`);
      expect(forbidden?.message).to.contain(`the proxy for ${purpose}`).and.contain('403');
    });
});
