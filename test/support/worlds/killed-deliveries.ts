/** Webhooks of many jobs while the controller is killed repeatedly between delivery and record. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ZipJob } from '#crds/zip-job.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { type FaultAction, type FaultProxy, startFaultProxy } from '#tools/local-cluster/fault-proxy.ts';
import type { ProxiedRequest } from '#tools/local-cluster/proxied-request.ts';
import { putFinishedJobs, zipJobsOf } from '../builders/finished-jobs.ts';
import { unsupported } from '../builders/unsupported.ts';
import { signIn } from '../clients/kube-user.ts';
import { type ControllerPool, startControllerPool } from '../processes/controller-pool.ts';
import { type Delivery, deliveryId, startWebhookReceiver } from '../servers/webhook-receiver.ts';
import { until } from '../until.ts';
import { createProject } from './project.ts';
import { sharedCluster } from './shared-cluster.ts';
import { sharedInstallation } from './shared-installation.ts';

export interface KilledDeliveriesOptions {
  readonly namespace: string;
  readonly deliveries: number;
  readonly kills: number;
  readonly limitMs: number;
}

export interface KilledDeliveries {
  readonly jobs: readonly ZipJob[];
  readonly deliveries: readonly Delivery[];
  readonly refused: readonly string[];
  /** Kills after the receiver got the event and before it responded. */
  readonly killsBeforeResponse: number;
  /** Kills after the response and before the status was written. */
  readonly killsBeforeSave: number;
  /** Controllers that ended, by a kill or because they lost the lease. */
  readonly ended: number;
}

/** The next kill is due after this number of new events, and is of the other kind than the last one. */
class Killer {
  beforeResponse = 0;
  beforeSave = 0;
  pool: ControllerPool | undefined;
  readonly #options: KilledDeliveriesOptions;
  readonly #seen = new Set<string>();

  constructor(options: KilledDeliveriesOptions) {
    this.#options = options;
  }

  get kills(): number {
    return this.beforeResponse + this.beforeSave;
  }

  onDelivery(delivery: Delivery): 'never' | undefined {
    this.#seen.add(deliveryId(delivery));
    if (!this.#isDue() || this.kills % 2 === 1 || this.pool?.killLeader() !== true) return undefined;
    this.beforeResponse += 1;
    return 'never';
  }

  onRequest(request: ProxiedRequest): FaultAction | undefined {
    const isSave = request.method === 'PATCH' && request.body.includes('"state":"Delivered"');
    if (!isSave || !this.#isDue() || this.kills % 2 === 0 || this.pool?.killLeader() !== true)
      return undefined;
    this.beforeSave += 1;
    return { kind: 'refuse' };
  }

  #isDue(): boolean {
    const { deliveries, kills } = this.#options;
    // Leaves some for after the last kill, to verify that deliveries continue.
    return this.kills < kills && this.#seen.size > (this.kills * deliveries) / (kills + 1);
  }
}

async function proxyOf(cluster: Cluster, killer: Killer): Promise<FaultProxy> {
  function file(name: string): Promise<string> {
    return readFile(join(cluster.dir, 'certificates', name), 'utf8');
  }
  const [cert, key] = await Promise.all([file('apiserver.crt'), file('apiserver.key')]);
  return startFaultProxy({
    upstream: cluster.apiServer.url,
    tls: { ca: cluster.apiServer.ca, cert, key },
    judge: (request) => killer.onRequest(request),
  });
}

async function runKilledDeliveries(options: KilledDeliveriesOptions): Promise<KilledDeliveries> {
  const { namespace, deliveries: count, limitMs } = options;
  await using resources = new AsyncDisposableStack();
  const cluster = await sharedCluster();
  await sharedInstallation();
  const killer = new Killer(options);
  const receiver = resources.use(await startWebhookReceiver({ respond: (one) => killer.onDelivery(one) }));
  const project = resources.use(await createProject(cluster, { namespace, webhookUrl: receiver.url }));
  receiver.trust(project.webhookSecret);
  const admin = resources.use(await signIn(cluster));
  const proxy = resources.use(await proxyOf(cluster, killer));
  const pool = resources.use(
    await startControllerPool({
      cluster,
      count: 3,
      apiServerUrl: proxy.url,
      prepare: () =>
        putFinishedJobs(admin, {
          namespace,
          bucketName: project.bucketName,
          count,
          url: () => receiver.url,
        }),
      settings: unsupported({ LEASE_DURATION_MS: 2000, FULL_RECONCILE_SECONDS: 5 }),
    }),
  );
  killer.pool = pool;
  const jobs = await until(
    `${count} webhooks to be delivered despite ${options.kills} kills`,
    async () => {
      const all = await zipJobsOf(admin, namespace);
      return all.every(({ status }) => status?.webhook?.state === 'Delivered') && all;
    },
    { limitMs, intervalMs: 500 },
  );
  return {
    jobs,
    deliveries: receiver.deliveries,
    refused: receiver.refused,
    killsBeforeResponse: killer.beforeResponse,
    killsBeforeSave: killer.beforeSave,
    ended: pool.ended,
  };
}

/** Default number of concurrent deliveries to one endpoint: the most that a crash repeats. */
const PER_ENDPOINT = 4;

/** @throws AssertionError when an event is lost, or repeated more often than documented. */
export async function expectNoneLost(options: KilledDeliveriesOptions): Promise<void> {
  const run = await runKilledDeliveries(options);
  const times = new Map<string, number>();
  for (const one of run.deliveries) times.set(deliveryId(one), (times.get(deliveryId(one)) ?? 0) + 1);
  const repeats = run.deliveries.length - times.size;
  const most = Math.max(...times.values());
  const { killsBeforeResponse, killsBeforeSave, ended } = run;
  process.stderr.write(
    `${JSON.stringify({ events: times.size, killsBeforeResponse, killsBeforeSave, ended, repeats, most })}\n`,
  );
  expect(run.refused).to.deep.equal([]);
  expect(killsBeforeResponse + killsBeforeSave).to.equal(options.kills);
  expect(Math.min(killsBeforeResponse, killsBeforeSave)).to.equal(Math.floor(options.kills / 2));
  expect([...times.keys()].toSorted()).to.deep.equal(
    run.jobs.map(({ status }) => status?.webhook?.deliveryId ?? '').toSorted(),
  );
  expect(times.size).to.equal(options.deliveries);
  expect(repeats).to.be.within(options.kills, ended * PER_ENDPOINT);
  // Each was counted once, no matter how often it was sent.
  for (const { status } of run.jobs)
    expect([status?.webhook?.attempts, status?.webhook?.log?.length]).to.deep.equal([1, 1]);
}
