import { expect } from 'chai';
import { createDeliver } from '#controller/webhook/deliver.ts';
import { createWebhookDispatcher } from '#controller/webhook/dispatcher.ts';
import { DEFAULT_ENDPOINT } from '#crds/webhook-endpoints.ts';
import { createDnsResolver } from '#runtime/egress/dns-resolver.ts';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { createGuardedAgent } from '#runtime/egress/guarded-agent.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { startDnsServer } from '#test/support/servers/dns-server.ts';
import { startWebhookReceiver } from '#test/support/servers/webhook-receiver.ts';
import { until } from '#test/support/until.ts';

const HANGING = 50;
const OTHERS = 100;
/** Longer than the test, so that the hanging lookups outlast the deliveries of the other tenant. */
const DNS_TIMEOUT_MS = 60_000;

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.ceil(values.length * share) - 1] ?? Number.NaN;
}

/** The dispatcher with real deliveries, and the results by key. */
function startDispatcher(dnsAddress: string, stopping: AbortSignal, resources: AsyncDisposableStack) {
  const policy = createEgressPolicy({ allowCidrs: ['127.0.0.0/8'], denyCidrs: [] });
  const resolve = createDnsResolver({ servers: [dnsAddress] });
  const agent = createGuardedAgent(policy, {
    connections: 512,
    connectTimeoutMs: DNS_TIMEOUT_MS,
    dnsTimeoutMs: DNS_TIMEOUT_MS,
    lookup: (name, { family, signal }) =>
      resolve(name, { family, signal: AbortSignal.any([signal, stopping]) }),
  });
  resources.defer(() => agent.destroy());
  const timeoutMs = DNS_TIMEOUT_MS;
  const deliver = createDeliver({ agent, policy, clock: systemClock, timeoutMs, allowHttp: true });
  const endedAt = new Map<string, number>();
  const dispatcher = createWebhookDispatcher({
    concurrency: 512,
    concurrencyPerEndpoint: 4,
    concurrencyPerProject: 128,
    slowAfterMs: 1000,
    clock: systemClock,
    signal: stopping,
    onResponse: (key) => {
      endedAt.set(key, performance.now());
      dispatcher.acknowledge(key);
    },
    onError: () => undefined,
  });
  function submit(project: string, host: string, port: string): void {
    const url = `http://${host}:${port}/hook`;
    const body = '{}';
    dispatcher.submit({
      key: host,
      name: DEFAULT_ENDPOINT,
      attemptId: host,
      project,
      endpoint: `${project} ${url}`,
      isWanted: () => true,
      send: (signal) => deliver({ url, id: host, body, keys: [Buffer.alloc(32)] }, signal),
    });
  }
  return { submit, endedAt };
}

describe('webhooks to names that never resolve', () => {
  it('delay no webhook of another tenant (N5)', async () => {
    await using resources = new AsyncDisposableStack();
    const stop = new AbortController();
    resources.defer(() => stop.abort());
    const dns = resources.use(
      await startDnsServer((name) =>
        name.endsWith('.hang.example') ? { kind: 'never' } : { kind: 'addresses', addresses: ['127.0.0.1'] },
      ),
    );
    const receiver = resources.use(await startWebhookReceiver());
    const { port } = new URL(receiver.url);
    const { submit, endedAt } = startDispatcher(dns.address, stop.signal, resources);
    for (let index = 0; index < HANGING; index += 1) submit('hostile', `n${index}.hang.example`, port);
    await until('every hanging name to be asked for', () => new Set(dns.queries).size === 2 * HANGING);

    const delays: number[] = [];
    for (let index = 0; index < OTHERS; index += 1) {
      const host = `n${index}.good.example`;
      const started = performance.now();
      submit('other', host, port);
      await until(`the webhook to ${host}`, () => endedAt.has(host), { intervalMs: 1 });
      delays.push((endedAt.get(host) ?? Number.NaN) - started);
    }
    expect(receiver.deliveries.length).to.equal(OTHERS);
    expect(endedAt.size, 'every hanging lookup is still pending').to.equal(OTHERS);
    const measured = { hanging: HANGING, p50Ms: percentile(delays, 0.5), p99Ms: percentile(delays, 0.99) };
    process.stderr.write(`${JSON.stringify(measured)}\n`);
  });
});
