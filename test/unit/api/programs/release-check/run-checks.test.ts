import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { checksOf } from '#api/programs/release-check/checks.ts';
import { readReleaseCheckConfig } from '#api/programs/release-check/config.ts';
import { runChecks } from '#api/programs/release-check/run-checks.ts';
import { ConfigError } from '#runtime/errors.ts';
import { type Check, startAdminServer } from '#runtime/http/admin-server.ts';
import { createLogger } from '#runtime/log/log.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { type ConfigChange, changedConfig } from '#test/support/builders/changed-config.ts';
import { startApiServer } from '#test/support/servers/api-server.ts';
import { startDashboardServer } from '#test/support/servers/dashboard-server.ts';
import { startTlsFront } from '#test/support/servers/tls-front.ts';

type Env = Readonly<Record<string, string>>;

const ENV: Env = { POD_NAMESPACE: 'zipjobs-system', INSTANCE: 'zips', TIMEOUT_SECONDS: '0' };
const ID = '00000000-0000-0000-0000-000000000000';

async function check(change: ConfigChange, stopping = new AbortController().signal) {
  const config = changedConfig(readReleaseCheckConfig, { ...ENV, ...change });
  const lines: string[] = [];
  function write(line: string): void {
    lines.push(line);
  }
  const isOk = await runChecks(checksOf(config), { config, clock: systemClock, stopping, write });
  return { isOk, lines };
}

/** The real API, dashboard and admin server of a controller, each below its URL. */
async function startRelease(basePath = '') {
  const life = new AsyncDisposableStack();
  const state: { ready: Check } = { ready: { ok: true } };
  const api = life.use(await startApiServer({ basePath }));
  const dashboard = life.use(await startDashboardServer());
  const controller = life.use(
    await startAdminServer({
      host: '127.0.0.1',
      port: 0,
      registry: new Registry(),
      healthy: () => ({ ok: true }),
      ready: () => state.ready,
      log: createLogger('test', { level: 'silent' }),
    }),
  );
  const env = {
    API_SERVICE_URL: `${api.url}${basePath}`,
    CONTROLLER_SERVICE_URL: `http://127.0.0.1:${controller.port}`,
    DASHBOARD_SERVICE_URL: dashboard.url,
  };
  return { env, state, [Symbol.asyncDispose]: () => life.disposeAsync() };
}

async function startServer(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  async function close(): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The URL of a server that was closed. */
async function closedUrl(): Promise<string> {
  const server = await startServer((_, response) => response.end());
  await server.close();
  return server.url;
}

describe('runChecks', () => {
  it('succeeds with one line for each check (X29)', async () => {
    await using release = await startRelease();
    const { API_SERVICE_URL, CONTROLLER_SERVICE_URL, DASHBOARD_SERVICE_URL } = release.env;
    expect(await check(release.env)).to.deep.equal({
      isOk: true,
      lines: [
        `ok: API reference: GET ${API_SERVICE_URL}/openapi.json`,
        `ok: API request without a token: GET ${API_SERVICE_URL}/v1/zips/${ID}`,
        `ok: controller readiness: GET ${CONTROLLER_SERVICE_URL}/readyz`,
        `ok: dashboard sign-in page: GET ${DASHBOARD_SERVICE_URL}/sign-in`,
      ],
    });
  });

  it('succeeds below a base path, and without a dashboard (X29)', async () => {
    await using release = await startRelease('/archives');
    const { isOk, lines } = await check({ ...release.env, DASHBOARD_SERVICE_URL: '' });
    expect(lines).to.have.length(3);
    expect(lines[0]).to.match(/^ok: .*\/archives\/openapi\.json$/);
    expect(isOk).to.equal(true);
  });

  it('fails for a Service that does not respond, and says what to do (X29)', async () => {
    await using release = await startRelease();
    const url = await closedUrl();
    const { isOk, lines } = await check({ ...release.env, API_SERVICE_URL: url });
    expect(isOk).to.equal(false);
    expect(lines[0]).to.equal(
      `failed: API reference: GET ${url}/openapi.json: no response (ECONNREFUSED). Tried for 0 s. ` +
        'See whether its pods are ready: kubectl get pods -n zipjobs-system ' +
        '-l app.kubernetes.io/instance=zips,app.kubernetes.io/component=api. ' +
        'If they are, check the network policies of the namespace and the DNS of the cluster.',
    );
    expect(lines.map((line) => line.split(':', 1)[0])).to.deep.equal(['failed', 'failed', 'ok', 'ok']);
  });

  it('fails for a request that gets no response in time (X29)', async () => {
    await using release = await startRelease();
    await using silent = await startServer(() => undefined);
    const env = { ...release.env, DASHBOARD_SERVICE_URL: silent.url, requestTimeoutMs: 1 };
    const { isOk, lines } = await check(env);
    expect(isOk).to.equal(false);
    expect(lines[3]).to.contain('/sign-in: no response (').and.to.contain('timeout');
  });

  it('fails with the reason that a component reports, and says where its logs are (X29)', async () => {
    await using release = await startRelease();
    release.state.ready = { ok: false, reason: 'the caches are not filled yet' };
    const { isOk, lines } = await check(release.env);
    expect(isOk).to.equal(false);
    expect(lines[2]).to.equal(
      `failed: controller readiness: GET ${release.env.CONTROLLER_SERVICE_URL}/readyz: status 503 instead of 200: ` +
        '{"status":"failing","reason":"the caches are not filled yet"}. Tried for 0 s. Read its logs: ' +
        'kubectl logs --tail=200 -n zipjobs-system -l app.kubernetes.io/instance=zips,app.kubernetes.io/component=controller',
    );
  });

  it('fails for the response of another program, of any size (X29)', async () => {
    await using release = await startRelease();
    await using other = await startServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      function fill(): void {
        while (response.write('x'.repeat(65_536)));
      }
      response.on('drain', fill);
      fill();
    });
    const { isOk, lines } = await check({ ...release.env, API_SERVICE_URL: other.url });
    expect(isOk).to.equal(false);
    expect(lines[0]).to.contain('a response that is not from zipjobs: it does not contain "openapi"');
    expect(lines[1]).to.contain('status 200 instead of 401. Tried');
  });

  it('repeats a check until it succeeds (X29)', async () => {
    await using release = await startRelease();
    let requests = 0;
    await using controller = await startServer((_, response) => {
      requests += 1;
      response.writeHead(requests < 3 ? 503 : 200).end('{"status":"ok"}');
    });
    const env = { CONTROLLER_SERVICE_URL: controller.url, TIMEOUT_SECONDS: '600', retryPauseMs: 1 };
    const { isOk } = await check({ ...release.env, ...env });
    expect({ isOk, requests }).to.deep.equal({ isOk: true, requests: 3 });
  });

  it('repeats nothing after a signal (X29)', async () => {
    await using release = await startRelease();
    const stop = new AbortController();
    await using controller = await startServer((_, response) => {
      response.writeHead(503).end();
      stop.abort();
    });
    const env = { CONTROLLER_SERVICE_URL: controller.url, TIMEOUT_SECONDS: '3600', retryPauseMs: 600_000 };
    const { isOk, lines } = await check({ ...release.env, ...env }, stop.signal);
    expect(isOk).to.equal(false);
    expect(lines[2]).to.match(/^failed: controller readiness/);
  });

  it('accepts any certificate of the Services, because its requests contain nothing secret (X54)', async () => {
    await using release = await startRelease();
    const { env } = release;
    await using front = await startTlsFront(env.API_SERVICE_URL);
    const { isOk, lines } = await check({ ...env, API_SERVICE_URL: front.url });
    expect(lines[0]).to.equal(`ok: API reference: GET ${front.url}/openapi.json`);
    expect(isOk).to.equal(true);
  });

  it('refuses to start without the URLs of the Services', () => {
    expect(() => readReleaseCheckConfig(ENV)).to.throw(ConfigError, 'API_SERVICE_URL');
  });
});
