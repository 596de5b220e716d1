import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { connectClients } from '#controller/cluster/clients.ts';
import { until } from '#test/support/until.ts';

const CALLS = 200;

describe('connectClients', () => {
  it('reads the Lease while every other call waits for a response', async () => {
    await using resources = new AsyncDisposableStack();
    let waiting = 0;
    const server = createServer((request, response) => {
      if (request.url?.includes('/leases/') === true) {
        response.setHeader('content-type', 'application/json').end(
          JSON.stringify({
            apiVersion: 'coordination.k8s.io/v1',
            kind: 'Lease',
            metadata: { namespace: 'system', name: 'zipjobs-controller', uid: 'a', resourceVersion: '1' },
            spec: {},
          }),
        );
        return;
      }
      waiting += 1;
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    resources.defer(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const credentials = { headers: {}, tls: {} };
    const { clients } = connectClients(
      {
        access: { server: `http://127.0.0.1:${port}`, credentials: () => Promise.resolve(credentials) },
        requestTimeoutMs: 10_000,
      },
      resources,
    );
    const stop = new AbortController();
    const calls = Array.from({ length: CALLS }, () =>
      clients.secrets.get('team-a', 'zipjobs-webhook', stop.signal).catch(() => undefined),
    );
    await until('all connections for calls to be used', () => waiting >= 64);

    const lease = await clients.leases.get('system', 'zipjobs-controller');

    expect(lease?.metadata.name).to.equal('zipjobs-controller');
    stop.abort();
    await Promise.all(calls);
  });
});
