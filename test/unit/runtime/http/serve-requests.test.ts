import { createServer, type ServerResponse } from 'node:http';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { serveRequests, shutdownLimitMs } from '#runtime/http/serve-requests.ts';
import { createLogger } from '#runtime/log/log.ts';
import { until } from '#test/support/until.ts';
import { freePorts } from '#tools/local-cluster/free-ports.ts';

const HOST = '127.0.0.1';
const TIMES = { shutdownPauseMs: 200, shutdownDrainMs: 2_000 };

async function statusOf(port: number, path = '/'): Promise<number | undefined> {
  try {
    const response = await fetch(`http://${HOST}:${port}${path}`, { headers: { connection: 'close' } });
    return response.status;
  } catch {
    return undefined;
  }
}

describe('serveRequests', () => {
  const open: ServerResponse[] = [];
  let stop: AbortController;
  let filled: PromiseWithResolvers<void>;
  let [port, adminPort] = [0, 0];
  let serving: Promise<void>;

  beforeEach(async () => {
    open.length = 0;
    stop = new AbortController();
    filled = Promise.withResolvers();
    [port = 0, adminPort = 0] = await freePorts(2);
    let isFilled = false;
    const caches = {
      start: () => undefined,
      synced: (signal: AbortSignal) => {
        signal.addEventListener('abort', () => filled.reject(signal.reason as Error));
        return filled.promise.then(() => {
          isFilled = true;
        });
      },
      missing: () => (isFilled ? [] : ['zipJobs']),
    };
    const server = createServer((request, response) => {
      if (request.url === '/slow') open.push(response);
      else response.end('now');
    });
    const config = { host: HOST, port, adminPort, ...TIMES };
    const log = createLogger('test', { level: 'silent' });
    serving = (async () => {
      await using resources = new AsyncDisposableStack();
      await serveRequests(
        { config, log, registry: new Registry(), caches, server },
        { stopping: stop.signal, resources },
      );
    })();
    await until('the admin server to respond', async () => (await statusOf(adminPort, '/healthz')) === 200);
  });
  afterEach(async () => {
    for (const response of open) response.end();
    stop.abort();
    await serving;
  });

  it('accepts requests and is ready once the caches are filled', async () => {
    expect(await statusOf(adminPort, '/readyz')).to.equal(503);
    expect(await statusOf(port)).to.equal(undefined);
    filled.resolve();
    await until('it to be ready', async () => (await statusOf(adminPort, '/readyz')) === 200);
    expect(await statusOf(port)).to.equal(200);
  });

  it('ends without opening its port if the stop signal comes first', async () => {
    stop.abort();
    await serving;
    expect(await statusOf(port)).to.equal(undefined);
  });

  it('accepts requests during the pause after the stop signal, and lets open ones finish (T26)', async () => {
    filled.resolve();
    await until('it to be ready', async () => (await statusOf(adminPort, '/readyz')) === 200);
    const slow = statusOf(port, '/slow');
    await until('the slow request to arrive', () => open.length === 1);
    stop.abort();
    expect(await statusOf(port)).to.equal(200);
    expect(await statusOf(adminPort, '/readyz')).to.equal(503);
    await until('new requests to be refused', async () => (await statusOf(port)) === undefined);
    open[0]?.end();
    expect(await slow).to.equal(200);
    await serving;
  });
});

describe('shutdownLimitMs', () => {
  it('leaves time to close connections after pause and drain', () => {
    expect(shutdownLimitMs(TIMES)).to.be.greaterThan(TIMES.shutdownPauseMs + TIMES.shutdownDrainMs);
  });
});
