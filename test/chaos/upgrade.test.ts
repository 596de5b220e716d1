/** Upgrades the release to one whose ZipJobs have an additional field, while jobs of the old release run. */
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { postJob } from '#test/support/clients/api-client.ts';
import { installChart } from '#test/support/processes/installation.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';
import { resetInstallation } from '#test/support/worlds/shared-installation.ts';

const JOBS = 4;
/** The first field of every status. */
const FIRST_FIELD = '                observedGeneration:\n';
const ADDED_FIELD =
  '                fieldOfTheNextRelease: { type: object, properties: { x: { type: string } } }\n';

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
  this.timeout(240_000);
  let flow: Flow;

  before(async () => {
    flow = await startFlow('upgrade');
  });
  after(async () => {
    await flow[Symbol.asyncDispose]();
    await resetInstallation();
  });

  it('with an additional field in the definition lets running jobs succeed and delivers each webhook once (F23)', async () => {
    const { cluster, project, origin, receiver } = flow;
    const uuids = await Promise.all(
      Array.from({ length: JOBS }, (_, index) =>
        postJob(flow.baseUrl, project.token, {
          bucket_name: project.bucketName,
          key: `upgrade-${index}.zip`,
          urls: [{ url: origin.url(`/drip/10000/500/200000/${index}`), filename: 'a' }],
        }),
      ),
    );
    for (const uuid of uuids) await project.untilPhase(uuid, ['Running']);
    // Another annotation replaces the pods like another image.
    const podTemplate = { metadata: { annotations: { 'zipjobs.dev/test-run': 'upgrade' } } };
    const values = { controller: { podTemplate }, api: { podTemplate } };
    await installChart(cluster, values, await nextChart(cluster.dir));
    const { stdout } = await cluster.kubectl(['get', 'crd', 'zipjobs.zipjobs.dev', '-o', 'json']);
    expect(stdout).to.include('fieldOfTheNextRelease');
    for (const uuid of uuids) {
      const ended = await project.untilPhase(uuid, ['Succeeded', 'Failed', 'Cancelled']);
      expect(ended.status?.reason, ended.status?.message).to.equal('Uploaded');
      expect(ended.status?.attemptsTotal).to.equal(1);
      await receiver.next(({ body }) => body.includes(uuid));
      const ids = receiver.deliveries.filter(({ body }) => body.includes(uuid));
      expect(new Set(ids.map(({ headers }) => headers['webhook-id'])).size).to.equal(1);
    }
  });
});
