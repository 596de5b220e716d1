/** Kubernetes Jobs and pods of finished jobs on a real control plane: deleted by age, and by number. */
import { expect } from 'chai';
import { zipJobName } from '#crds/api-group.ts';
import { installChart } from '#test/support/processes/installation.ts';
import { until } from '#test/support/until.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';
import { forgetInstallation } from '#test/support/worlds/shared-installation.ts';

const NAMESPACE = 'finished-pods';
/** Job and pod of the attempt. The zipper aborted its upload, so nothing was recovered. */
const OBJECTS = 2;
const LIMIT = { limitMs: 120_000, intervalMs: 100 };

describe('Kubernetes Jobs and pods of finished jobs', function () {
  this.timeout(300_000);
  let flow: Flow;

  function withSettings(settings: Readonly<Record<string, number>>): Promise<unknown> {
    return installChart(flow.cluster, { controller: { replicas: 1, settings } });
  }
  before(async () => {
    flow = await startFlow(NAMESPACE);
  });
  after(async () => {
    await flow[Symbol.asyncDispose]();
    forgetInstallation();
  });

  /** The names of the Jobs and pods of a ZipJob. */
  async function namesOf(uuid: string): Promise<readonly string[]> {
    const selector = `app.kubernetes.io/instance=${zipJobName(uuid)}`;
    const names = await flow.kubectl('get', 'jobs,pods', '-l', selector, '-o', 'name');
    return names.split('\n').filter((name) => name !== '');
  }
  async function end(url: string, phase: 'Succeeded' | 'Failed'): Promise<string> {
    const uuid = await flow.post([{ url, filename: 'a' }]);
    await flow.project.untilPhase(uuid, [phase], LIMIT.limitMs);
    return uuid;
  }
  async function statusOf(uuid: string) {
    return (await flow.project.zipJob(uuid)).status ?? {};
  }
  function untilDelivered(uuid: string): Promise<unknown> {
    return until('its webhook', async () => (await statusOf(uuid)).webhook?.state === 'Delivered', LIMIT);
  }

  it('are deleted some time after a success, before the webhook is delivered, and nothing else changes (G2)', async () => {
    await withSettings({ SUCCEEDED_POD_TTL_SECONDS: 2 });
    flow.receiver.responses.push(500, 500);
    const uuid = await end(flow.origin.url('/gen/1000/1'), 'Succeeded');
    const before = await until(
      'the exit of its pod',
      async () => {
        const status = await statusOf(uuid);
        return status.attempts?.length === 1 && status;
      },
      LIMIT,
    );
    expect(before.webhook?.state).to.equal('Pending');
    await until('its Job and pod to be deleted', async () => (await namesOf(uuid)).length === 0, LIMIT);
    expect((await statusOf(uuid)).webhook?.state).to.equal('Pending');
    await flow.kubectl('annotate', 'zipjob', zipJobName(uuid), 'zipjobs.dev/replay-webhook=again');
    await untilDelivered(uuid);
    const { webhook: _before, conditions: _conditionsBefore, ...known } = before;
    const { webhook, conditions: _conditions, ...after } = await statusOf(uuid);
    expect(after).to.deep.equal(known);
    expect(webhook?.log?.map(({ status }) => status)).to.deep.equal([500, 500, 204]);
    const reasons = await flow.kubectl('get', 'events', '-o', 'jsonpath={.items[*].reason}');
    expect(reasons).to.not.match(/JobDeleted/);
  });

  it('are kept after a failure, until there are too many ended pods (G2)', async () => {
    const [succeeded, ...uuids] = await Promise.all([
      end(flow.origin.url('/gen/1000/2'), 'Succeeded'),
      ...Array.from({ length: 3 }, () => end(flow.origin.url('/status/404'), 'Failed')),
    ]);
    await until('the success to lose its pod', async () => (await namesOf(succeeded)).length === 0, LIMIT);
    for (const uuid of uuids) expect(await namesOf(uuid)).to.have.length(OBJECTS);
    await withSettings({ MAX_FINISHED_PODS: 1 });
    // Which ones is in the unit test: here they may finish in the same second, and pods that other tests left may count.
    await until(
      'all failures, or all but one, to lose their pods',
      async () => {
        const left = await Promise.all(uuids.map(namesOf));
        return left.flat().length <= OBJECTS;
      },
      LIMIT,
    );
    for (const uuid of uuids) expect(await statusOf(uuid)).to.include({ phase: 'Failed', attemptsTotal: 1 });
  });
});
