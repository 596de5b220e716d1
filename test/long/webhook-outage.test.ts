/** A receiver that is down for a day, and a controller that restarts often. */

import { expect } from 'chai';
import type { WebhookState } from '#crds/zip-job.ts';
import { putFinishedJobs, zipJobsOf } from '#test/support/builders/finished-jobs.ts';
import { unsupported } from '#test/support/builders/unsupported.ts';
import { signIn } from '#test/support/clients/kube-user.ts';
import { startClusterTime } from '#test/support/processes/cluster-time.ts';
import { startControllerPool } from '#test/support/processes/controller-pool.ts';
import { deliveryId, startWebhookReceiver } from '#test/support/servers/webhook-receiver.ts';
import { sized } from '#test/support/sized.ts';
import { until } from '#test/support/until.ts';
import { createProject } from '#test/support/worlds/project.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import { sharedInstallation } from '#test/support/worlds/shared-installation.ts';
import { freePorts } from '#tools/local-cluster/free-ports.ts';

const NAMESPACE = 'webhook-outage';
const JOBS = 3;
const HOUR_MS = 3_600_000;
const OUTAGE_MS = 24 * HOUR_MS;
const RESTARTS = sized(6, 50);
/** Within the outage. */
const LEAST_ATTEMPTS = 5;
/** Short, because each restart waits for it to expire; longer than any pause of a busy machine. */
const LEASE_DURATION_MS = 4000;
/** The longest wait between two attempts, with its jitter. */
const LONGEST_WAIT_MS = 27 * HOUR_MS;

async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}

/** The earliest one of all deliveries; undefined when none is pending. */
function nextAttempt(webhooks: readonly WebhookState[]): number | undefined {
  return webhooks
    .flatMap(({ nextAttemptAt }) => (nextAttemptAt === undefined ? [] : [Date.parse(nextAttemptAt)]))
    .toSorted((one, other) => one - other)[0];
}

function isSeen({ attempts = 0, log = [] }: WebhookState): boolean {
  return attempts > 0 && log.length === attempts;
}

describe('a receiver that is down for 24 h', function () {
  this.timeout(600_000);

  it(`gets each event once when it is up again, despite ${RESTARTS} restarts of the controller (F20)`, async () => {
    await using resources = new AsyncDisposableStack();
    const cluster = await sharedCluster();
    await sharedInstallation();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const project = resources.use(await createProject(cluster, { namespace: NAMESPACE, webhookUrl: url }));
    const admin = resources.use(await signIn(cluster));
    const time = resources.use(await startClusterTime(cluster, []));
    const { bucketName } = project;
    const pool = resources.use(
      await startControllerPool({
        cluster,
        count: 1,
        settings: { ...time.env, ...unsupported({ LEASE_DURATION_MS, FULL_RECONCILE_SECONDS: 1 }) },
        prepare: () =>
          putFinishedJobs(admin, { namespace: NAMESPACE, bucketName, count: JOBS, url: () => url }),
      }),
    );
    async function webhooks(): Promise<readonly WebhookState[]> {
      return (await zipJobsOf(admin, NAMESPACE)).map(
        ({ status }) => status?.webhook ?? { state: 'NotConfigured' },
      );
    }
    await until('the first attempts', async () => (await webhooks()).every(isSeen), { limitMs: 60_000 });

    async function nothingDue(): Promise<readonly WebhookState[]> {
      const due = time.now();
      return until(
        'the due deliveries to be sent',
        async () => {
          const all = await webhooks();
          return all.every(({ nextAttemptAt }) => !nextAttemptAt || new Date(nextAttemptAt) > due) && all;
        },
        { limitMs: 30_000 },
      );
    }
    let before = (await webhooks()).map(({ attempts = 0 }) => attempts);
    for (let restart = 0; restart < RESTARTS; restart += 1) {
      await time.round(OUTAGE_MS / RESTARTS);
      pool.killAll();
      await until('the next controller', () => pool.ended > restart, { limitMs: 10_000 });
      await pool.untilLeading();
      const now = await nothingDue();
      // Attempts continue to count after a restart, and each is in the log.
      expect(now.every(isSeen)).to.equal(true);
      const attempts = now.map((webhook) => webhook.attempts ?? 0);
      for (const [index, count] of attempts.entries()) expect(count).to.be.at.least(before[index] ?? 0);
      before = attempts;
    }

    for (const count of before) expect(count).to.be.at.least(LEAST_ATTEMPTS);
    let last = await webhooks();
    const receiver = resources.use(await startWebhookReceiver({ port }));
    receiver.trust(project.webhookSecret);
    const isUpAt = time.now().getTime();
    const endedBefore = pool.ended;
    for (let next = nextAttempt(last); next !== undefined; next = nextAttempt(last)) {
      expect(next - isUpAt, 'wait for the next attempt').to.be.at.most(LONGEST_WAIT_MS);
      await time.round(Math.max(0, next - time.now().getTime()));
      last = await nothingDue();
    }
    expect(receiver.refused).to.deep.equal([]);
    const ids = receiver.deliveries.map(deliveryId);
    expect([...new Set(ids)].toSorted()).to.deep.equal(
      last.map((webhook) => webhook.deliveryId ?? '').toSorted(),
    );
    // Only a controller that ends between a delivery and its record sends it again.
    expect(ids.length - JOBS).to.be.at.most((pool.ended - endedBefore) * JOBS);
    for (const [index, { state, attempts, log = [] }] of last.entries()) {
      expect(state).to.equal('Delivered');
      expect(attempts).to.be.within(before[index] ?? 0, (before[index] ?? 0) + 1);
      expect(log.map(({ status, error }) => status ?? error)).to.deep.equal([
        ...log.slice(1).map(() => 'unreachable'),
        204,
      ]);
    }
  });
});
