import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { compileCacheEnv } from '#test/support/processes/compile-cache-env.ts';

const run = promisify(execFile);

async function listening(server: Server, life: AsyncDisposableStack): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  life.defer(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', namespace: 'team-a' } }],
    clusters: [{ name: 'test', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'test', user: { token: 'the-token' } }],
  });
}

describe('the command line in an environment with an HTTP proxy', function () {
  this.timeout(60_000);

  it('sends neither calls of the API server nor requests for the history to the proxy', async () => {
    await using life = new AsyncDisposableStack();
    const paths: (string | undefined)[] = [];
    const target = await listening(
      createServer(({ url }, response) => {
        paths.push(url?.split('?')[0]);
        response.setHeader('content-type', 'application/json');
        response.end(
          JSON.stringify(url?.startsWith('/history/') === true ? { jobs: [] } : { metadata: {}, items: [] }),
        );
      }),
      life,
    );
    let connections = 0;
    const refusing = createServer((_request, response) => response.writeHead(502).end());
    refusing.on('connection', () => {
      connections += 1;
    });
    refusing.on('connect', (_request, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
    const proxy = await listening(refusing, life);
    const dir = await mkdtemp(join(tmpdir(), 'zipjobs-no-proxy-'));
    life.defer(() => rm(dir, { recursive: true }));
    await writeFile(join(dir, 'kubeconfig'), kubeconfigOf(target));
    const variables = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy', 'ALL_PROXY'];
    const env = {
      ...compileCacheEnv(),
      ...Object.fromEntries(variables.map((name) => [name, proxy])),
      NODE_USE_ENV_PROXY: '1',
      KUBECONFIG: join(dir, 'kubeconfig'),
      ZIPJOBS_DASHBOARD_URL: target,
    };
    const failures: string[] = [];
    for (const args of [['list'], ['list', '--history']])
      await run(process.execPath, ['cli/main.ts', 'job', ...args], { env, timeout: 30_000 }).catch(
        (error: unknown) => failures.push(String(error)),
      );
    expect({ connections, failures }).to.deep.equal({ connections: 0, failures: [] });
    expect(paths).to.deep.equal([
      '/apis/zipjobs.dev/v1alpha1/namespaces/team-a/zipjobs',
      '/history/projects/team-a/jobs',
    ]);
  });
});
