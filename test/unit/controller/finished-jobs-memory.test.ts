/** Memory of the caches, queues and ledgers of a controller for finished jobs, through the real reflectors. */
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { connectClients } from '#controller/kube-state/clients.ts';
import { createControllerMetrics } from '#controller/metrics.ts';
import { createParts, type Parts } from '#controller/wiring.ts';
import type { KubeClient } from '#runtime/kube/client.ts';
import { KubeError } from '#runtime/kube/kube-error.ts';
import { createKubeMetrics } from '#runtime/kube/kube-metrics.ts';
import { createLogger } from '#runtime/log.ts';
import { createServerClock } from '#runtime/server-clock.ts';
import { createBundleTrust } from '#runtime/tls/bundle-file.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { productionJob, productionPod, productionZipJob } from '#test/support/builders/production-objects.ts';
import { sized } from '#test/support/sized.ts';

const KIB = 1024;
const DAYS_MS = 6 * 86_400_000;

type Builder = (n: number) => object;

interface Stored {
  readonly [plural: string]: { readonly count: number; readonly build: Builder };
}

/** An API server that has these objects, and in which nothing changes. */
const kubeOf = (stored: Stored): KubeClient => ({
  server: 'https://kube.example',
  request: ({ path, query }) => {
    const { count = 0, build = () => ({}) } = stored[path.split('/').at(-1) ?? ''] ?? {};
    const from = Number(query?.['continue'] ?? 0);
    const end = Math.min(count, from + Number(query?.['limit'] ?? 500));
    const items = Array.from({ length: end - from }, (_, index) => build(from + index));
    const metadata = { resourceVersion: '999999999', ...(end < count && { continue: String(end) }) };
    // As from the network: no string is shared with another object.
    return Promise.resolve(JSON.parse(JSON.stringify({ metadata, items })) as unknown);
  },
  stream: ({ query, signal }) => {
    if (query?.['sendInitialEvents'] === true)
      throw new KubeError('not supported', { code: 'Invalid', httpStatus: 422 });
    const body = new PassThrough();
    signal?.addEventListener('abort', () => body.destroy());
    return Promise.resolve(body);
  },
  [Symbol.asyncDispose]: () => Promise.resolve(),
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const heapBytes = async (): Promise<number> => {
  for (let rounds = 0; rounds < 2; rounds += 1) {
    await setImmediate();
    collectGarbage();
  }
  return process.memoryUsage().heapUsed;
};

const partsOf = (kube: KubeClient, stopping: AbortSignal, resources: AsyncDisposableStack): Parts => {
  const config = aConfig();
  const log = createLogger('test', { level: 'silent' });
  const clock = createServerClock();
  const access = { server: kube.server } as Parameters<typeof connectClients>[0]['access'];
  const { clients } = connectClients({ access, requestTimeoutMs: 1000 }, resources);
  const registry = new Registry();
  return createParts({
    config,
    log,
    metrics: createControllerMetrics(registry),
    kubeMetrics: createKubeMetrics(registry),
    clients,
    kube,
    stopping,
    clock,
    trust: createBundleTrust(config, { clock, log }),
  });
};

/** Bytes of heap that a controller uses for each of these objects once it has reconciled them. */
const bytesEach = async (stored: Stored, count: number): Promise<number> => {
  await using resources = new AsyncDisposableStack();
  const stop = new AbortController();
  const parts = partsOf(kubeOf(stored), stop.signal, resources);
  const before = await heapBytes();
  const running = parts.watches.run(stop.signal);
  await parts.watches.synced(stop.signal);
  for (const key of parts.watches.caches.zipJobs.keys()) parts.queue.addAfter(key, DAYS_MS);
  const after = await heapBytes();
  expect([...parts.watches.caches.zipJobs.values()].length).to.equal(stored['zipjobs']?.count ?? 0);
  // Ends the timer of the due times.
  await parts.queue.run(() => Promise.resolve(), { workers: 1, signal: AbortSignal.abort() });
  stop.abort();
  await running;
  return (after - before) / count;
};

describe('memory of a controller', function () {
  this.timeout(120_000);
  const COUNT = sized(5_000, 20_000);
  const measure = async (what: string, stored: Stored, count: number): Promise<number> => {
    const bytes = await bytesEach(stored, count);
    console.log(`      ${what}: ${(bytes / KIB).toFixed(2)} KiB each`);
    return bytes;
  };

  it('is at most 0.6 KiB for a finished ZipJob, and 1.7 KiB more while it has a Job and a pod (G1)', async () => {
    await measure('warm-up', { zipjobs: { count: 1000, build: productionZipJob } }, 1000);
    const zipJob = await measure(
      'ZipJob',
      { zipjobs: { count: COUNT, build: (n) => productionZipJob(n) } },
      COUNT,
    );
    const young = await measure(
      'ZipJob with its file list',
      { zipjobs: { count: COUNT, build: (n) => productionZipJob(n, false) } },
      COUNT,
    );
    const job = await measure('Job', { jobs: { count: COUNT, build: productionJob } }, COUNT);
    const pod = await measure('pod', { pods: { count: COUNT, build: productionPod } }, COUNT);
    console.log(
      `      100,000 jobs, 10,000 of them with Job, pod and file list: ${((90_000 * zipJob + 10_000 * (young + job + pod)) / KIB / KIB).toFixed(0)} MiB`,
    );
    expect(zipJob).to.be.below(0.6 * KIB);
    expect(job + pod).to.be.below(1.7 * KIB);
  });
});
