/** Two controllers run; the one that leads is killed in the middle of twenty jobs. */

import { expect } from 'chai';
import type { ZipJob } from '#crds/zip-job.ts';
import type { Cluster } from '../cluster/cluster-types.ts';
import { postJob } from '../support/api-client.ts';
import type { FileOrigin } from '../support/file-origin.ts';
import { type Flow, startFlow } from '../support/flow.ts';
import { RELEASE_NAMESPACE } from '../support/installation.ts';
import type { Project } from '../support/project.ts';
import { until } from '../support/until.ts';
import type { WebhookReceiver } from '../support/webhook-receiver.ts';

const JOBS = 20;

describe('when the leading controller is killed', function () {
  this.timeout(240_000);
  let flow: Flow;
  let cluster: Cluster;
  let baseUrl: string;
  let project: Project;
  let origin: FileOrigin;
  let receiver: WebhookReceiver;

  before(async () => {
    flow = await startFlow('failover');
    ({ cluster, baseUrl, project, origin, receiver } = flow);
  });
  after(() => flow[Symbol.asyncDispose]());

  /** Pod name of the holder of the Lease. */
  const leader = async (): Promise<string> => {
    const { stdout } = await cluster.kubectl(['get', 'lease', '-n', RELEASE_NAMESPACE, '-o', 'json']);
    const leases = JSON.parse(stdout) as { items: { spec: { holderIdentity?: string } }[] };
    return leases.items[0]?.spec.holderIdentity ?? '';
  };
  const podUidOf = (identity: string): string | undefined =>
    cluster.node.pods().find((pod) => pod.name !== '' && identity.startsWith(pod.name))?.uid;

  const jobs = async (): Promise<readonly ZipJob[]> => {
    const { stdout } = await cluster.kubectl(['get', 'zipjobs', '-n', project.namespace, '-o', 'json']);
    return (JSON.parse(stdout) as { items: ZipJob[] }).items;
  };

  it('every job ends, each with one Job and one delivered webhook id (H5, H6, H7)', async () => {
    const uuids = await Promise.all(
      Array.from({ length: JOBS }, (_, index) =>
        postJob(baseUrl, project.token, {
          bucket_name: project.bucketName,
          key: `failover-${index}.zip`,
          urls: [{ url: origin.url('/drip/10000/200/100000/1'), filename: 'a' }],
        }),
      ),
    );
    await until('a job to run', async () => (await jobs()).some((job) => job.status?.phase === 'Running'), {
      limitMs: 60_000,
    });
    const identity = await leader();
    const uid = podUidOf(identity);
    expect(uid, `the pod that leads (${identity})`).to.be.a('string');
    cluster.node.kill(uid ?? '', 'SIGKILL');
    await until(
      'every job to succeed',
      async () => (await jobs()).every((job) => job.status?.phase === 'Succeeded'),
      {
        limitMs: 150_000,
        intervalMs: 500,
      },
    );
    expect(await leader()).not.to.equal('');

    const { stdout } = await cluster.kubectl(['get', 'jobs', '-n', project.namespace, '-o', 'name']);
    expect(stdout.trim().split('\n').toSorted()).to.deep.equal(
      uuids.map((uuid) => `job.batch/zip-${uuid}`).toSorted(),
    );
    await until(
      'every webhook to be delivered',
      async () => (await jobs()).every((job) => job.status?.webhook?.state === 'Delivered'),
      { limitMs: 60_000 },
    );
    for (const uuid of uuids) {
      const ids = new Set(
        receiver.deliveries.filter((one) => one.body.includes(uuid)).map((one) => one.headers['webhook-id']),
      );
      expect([...ids], uuid).to.have.lengthOf(1);
    }
    const attempts = (await jobs()).map((job) => job.status?.attemptsTotal);
    expect(attempts).to.deep.equal(uuids.map(() => 1));
  });
});
