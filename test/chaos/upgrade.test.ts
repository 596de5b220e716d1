/** The release is upgraded to one whose ZipJobs have a field more, while jobs of before run. */
import { expect } from 'chai';
import { postJob } from '../support/api-client.ts';
import { type Flow, startFlow } from '../support/flow.ts';
import { installChart, RELEASE_NAMESPACE } from '../support/installation.ts';
import { resetInstallation } from '../support/shared-installation.ts';

const JOBS = 4;
const CRD = ['crd', 'zipjobs.zipjobs.dev'];
const STATUS = '/spec/versions/0/schema/openAPIV3Schema/properties/status/properties';
const FIELD = 'fieldOfTheNextRelease';

describe('when the controller is upgraded', function () {
  this.timeout(240_000);
  let flow: Flow;

  const patchCrd = (operation: Readonly<Record<string, unknown>>): Promise<unknown> =>
    flow.cluster.kubectl([
      'patch',
      ...CRD,
      '--type=json',
      '-p',
      JSON.stringify([{ path: `${STATUS}/${FIELD}`, ...operation }]),
    ]);

  before(async () => {
    flow = await startFlow('upgrade');
  });
  after(async () => {
    await patchCrd({ op: 'remove' });
    await flow[Symbol.asyncDispose]();
    await resetInstallation();
  });

  it('with a field more in the definition, jobs of before end well and are told once (F23)', async () => {
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
    await patchCrd({ op: 'add', value: { type: 'object', properties: { x: { type: 'string' } } } });
    // Another annotation is another pod, as another image would be.
    const podAnnotations = { 'zipjobs.dev/test-run': 'upgrade' };
    await installChart(cluster, { controller: { podAnnotations }, api: { podAnnotations } });
    const { stdout } = await cluster.kubectl(['get', 'pods', '-n', RELEASE_NAMESPACE, '-o', 'json']);
    expect(stdout).to.include('"zipjobs.dev/test-run": "upgrade"');
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
