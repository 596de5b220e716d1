/** Upgrades the release to one whose ZipJobs have an additional field, and rolls it back, while jobs run and wait. */
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { zipEntries } from '#test/support/archives/zip-entries.ts';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { postJob } from '#test/support/clients/api-client.ts';
import {
  installChart,
  RELEASE,
  RELEASE_NAMESPACE,
  untilPoliciesReady,
} from '#test/support/processes/installation.ts';
import {
  deliveryId,
  startWebhookReceiver,
  type WebhookReceiver,
} from '#test/support/servers/webhook-receiver.ts';
import { extendProject } from '#test/support/worlds/extend-project.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';
import { resetInstallation } from '#test/support/worlds/shared-installation.ts';

/** As many as the project may run. */
const RUNNING = 3;
const WAITING = 2;
/** The first field of every status. */
const FIRST_FIELD = '                observedGeneration:\n';
const ADDED_FIELD =
  '                fieldOfTheNextRelease: { type: object, properties: { x: { type: string } } }\n';
/** More than a zipper reads ahead, so that it requests the rest after the rollback. */
const OBJECT_BYTES = 40 * 1024 * 1024;

/** A copy of the chart whose ZipJobs have one additional field. */
async function nextChart(dir: string): Promise<string> {
  const chart = join(dir, 'next-chart');
  await cp('charts/zipjobs', chart, { recursive: true });
  const path = join(chart, 'templates', 'crds', 'zipjobs.yaml');
  const definition = await readFile(path, 'utf8');
  await writeFile(path, definition.replace(FIRST_FIELD, ADDED_FIELD + FIRST_FIELD));
  return chart;
}

describe('an upgrade of the controller', function () {
  this.timeout(480_000);
  const life = new AsyncDisposableStack();
  let flow: Flow;
  let audit: WebhookReceiver;
  const object = generatedBytes(OBJECT_BYTES, 5);

  before(async () => {
    flow = life.use(await startFlow('upgrade', { limits: { activeJobs: RUNNING } }));
    audit = life.use(await startWebhookReceiver());
    audit.trust(flow.project.webhookSecret);
    await flow.project.bucket.put('object', object);
    await extendProject(flow, { name: 'audit', url: audit.url });
  });
  after(async () => {
    await life.disposeAsync();
    await resetInstallation();
  });

  async function definition(): Promise<string> {
    return (await flow.cluster.kubectl(['get', 'crd', 'zipjobs.zipjobs.dev', '-o', 'json'])).stdout;
  }
  /** Of the event of a job, at the project's only URL and at its other endpoint. */
  async function untilDelivered(uuid: string): Promise<void> {
    for (const receiver of [flow.receiver, audit]) {
      await receiver.next(({ body }) => body.includes(uuid));
      const ids = receiver.deliveries.filter(({ body }) => body.includes(uuid)).map(deliveryId);
      expect([...new Set(ids)]).to.deep.equal([`msg_${uuid}_COMPLETED`]);
    }
  }

  it('with an additional field in the definition, and its rollback, let jobs with files in buckets succeed and deliver each event once to each endpoint (F23)', async () => {
    const { cluster, project } = flow;
    const jobs = [];
    for (let index = 0; index < RUNNING + WAITING; index += 1) {
      const held = flow.hold();
      const key = `upgrade-${index}.zip`;
      const urls = [
        { url: held.url, filename: 'held' },
        { url: `s3://${project.bucketName}/object`, filename: 'object' },
      ];
      const request = { bucket_name: project.bucketName, key, urls };
      const uuid = await postJob(flow.baseUrl, project.token, request);
      jobs.push({ uuid, key, held });
      await project.untilPhase(uuid, index < RUNNING ? ['Running'] : ['Queued']);
    }
    // Another annotation replaces the pods like another image.
    const podTemplate = { metadata: { annotations: { 'zipjobs.dev/test-run': 'upgrade' } } };
    const values = { controller: { podTemplate }, api: { podTemplate } };
    await installChart(cluster, values, await nextChart(cluster.dir));
    expect(await definition()).to.include('fieldOfTheNextRelease');
    await cluster.helm(['rollback', RELEASE, '-n', RELEASE_NAMESPACE, '--wait', '--timeout', '200s']);
    await untilPoliciesReady(cluster);
    expect(await definition()).not.to.include('fieldOfTheNextRelease');
    for (const { uuid } of jobs.slice(RUNNING)) await project.untilPhase(uuid, ['Queued']);

    for (const { held } of jobs) held.release();
    for (const { uuid, key, held } of jobs) {
      const { status } = await project.untilPhase(uuid, ['Succeeded', 'Failed', 'Cancelled']);
      expect(status, JSON.stringify(status)).to.include({ reason: 'Uploaded', attemptsTotal: 1 });
      const entries = await zipEntries(await project.bucket.bytes(key));
      expect(entries.map(({ name }) => name)).to.deep.equal(['held', 'object']);
      expect(entries[0]?.content.equals(generatedBytes(held.bytes, 1)), 'the held file').to.equal(true);
      expect(entries[1]?.content.equals(object), 'the object').to.equal(true);
      await untilDelivered(uuid);
    }
    expect(audit.refused).to.deep.equal([]);
  });
});
