/** Receivers that accept a webhook and never respond, and their effect on other receivers. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { uuidOfName } from '#crds/zip-job-facts.ts';
import { deleteJobs, putFinishedJobs } from '#test/support/builders/finished-jobs.ts';
import { unsupported } from '#test/support/builders/unsupported.ts';
import { signIn } from '#test/support/clients/kube-user.ts';
import { startControllerPool } from '#test/support/processes/controller-pool.ts';
import { deliveryId, startWebhookReceiver } from '#test/support/servers/webhook-receiver.ts';
import { sized } from '#test/support/sized.ts';
import { until } from '#test/support/until.ts';
import { createProject } from '#test/support/worlds/project.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { sharedInstallation } from '#test/support/worlds/shared-installation.ts';

const STUCK_ENDPOINTS = sized(50, 500);
const JOBS_PER_STUCK_ENDPOINT = 2;
const OTHERS = sized(20, 100);
/** Fewer than the stuck receivers: they have to leave the slots of the others. */
const CONCURRENCY = sized(32, 400);
const NEIGHBOURS = 8;
/** A stuck receiver times out only after the test. */
const TIMEOUT_MS = 600_000;

/** Listens at every loopback address, so that each one is a separate endpoint. */
class StuckReceivers implements AsyncDisposable {
  readonly open = new Set<string>();
  ended = 0;
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request) => {
      const { host = '' } = request.headers;
      this.open.add(host);
      request.socket.once('close', () => {
        this.ended += 1;
        this.open.delete(host);
      });
    });
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '0.0.0.0', resolve));
    return this;
  }

  url(index: number): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.1.${Math.floor(index / 250)}.${1 + (index % 250)}:${port}/`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.ceil(values.length * share) - 1] ?? Number.NaN;
}

describe('receivers that never respond', function () {
  this.timeout(900_000);

  it('delay no first delivery of another tenant, even at their own origin (W17)', async () => {
    await using resources = new AsyncDisposableStack();
    const cluster = await sharedCluster();
    await sharedInstallation();
    const stuck = resources.use(await new StuckReceivers().listen());
    const arrivedAt = new Map<string, number>();
    const receiver = resources.use(
      await startWebhookReceiver({
        respond: (delivery) => {
          if (delivery.path === '/never') return 'never';
          arrivedAt.set(deliveryId(delivery), performance.now());
          return undefined;
        },
      }),
    );
    const slow = resources.use(await createProject(cluster, { namespace: 'webhook-slow' }));
    const other = resources.use(await createProject(cluster, { namespace: 'webhook-other' }));
    const admin = resources.use(await signIn(cluster));
    function put({ namespace, bucketName }: typeof slow, count: number, url: (index: number) => string) {
      return putFinishedJobs(admin, { namespace, bucketName, count, url });
    }
    const controllers = resources.use(
      await startControllerPool({
        cluster,
        count: 1,
        settings: {
          WEBHOOK_TIMEOUT_MS: `${TIMEOUT_MS}`,
          WEBHOOK_CONCURRENCY: `${CONCURRENCY}`,
          // Every receiver counts as slow, as on a busy machine.
          // Here the stuck receivers share a project: the limits of endpoints alone must hold them back.
          ...unsupported({ WEBHOOK_SLOW_AFTER_MS: 10, WEBHOOK_CONCURRENCY_PER_PROJECT: 2 * STUCK_ENDPOINTS }),
        },
        prepare: async () => {
          await put(slow, STUCK_ENDPOINTS * JOBS_PER_STUCK_ENDPOINT, (n) => stuck.url(n % STUCK_ENDPOINTS));
          await put(slow, NEIGHBOURS, () => `${receiver.url}/never`);
        },
      }),
    );
    // Before the controllers of the chart restart: otherwise they retry the deliveries while other tests run.
    resources.defer(() => deleteJobs(admin, slow.namespace));
    await until('every stuck receiver to have a delivery', () => stuck.open.size === STUCK_ENDPOINTS, {
      limitMs: 300_000,
    });

    const due = await put(other, OTHERS, () => receiver.url);
    await until('the deliveries of the other tenant', () => arrivedAt.size === OTHERS, { limitMs: 300_000 });

    // On a busy machine, the controller may lose its lease and restart, which ends what it was sending.
    const restarts = controllers.ended;
    expect(stuck.ended, 'deliveries that ended').to.be.at.most(restarts * STUCK_ENDPOINTS);
    if (restarts === 0) expect(stuck.open.size, 'deliveries that are pending').to.equal(STUCK_ENDPOINTS);
    const delays = [...due].map(([name, at]) =>
      Math.max(0, (arrivedAt.get(`msg_${uuidOfName(name)}_COMPLETED`) ?? Infinity) - at),
    );
    const [p50, p99] = [percentile(delays, 0.5), percentile(delays, 0.99)];
    process.stderr.write(`${JSON.stringify({ stuck: STUCK_ENDPOINTS, p50Ms: p50, p99Ms: p99 })}\n`);
  });
});
