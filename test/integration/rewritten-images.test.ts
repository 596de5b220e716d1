/** A cluster whose webhook adds digests to images, as Kyverno does. The controller treats the changed Jobs and pods as its own. */
import { expect } from 'chai';
import { bucketResourceName } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import type { Job } from '#runtime/kube/resources.ts';
import { followObjects } from '#test/support/clients/follow-objects.ts';
import { DIGEST } from '#test/support/image-names.ts';
import { adminApi } from '#test/support/processes/controller-pods.ts';
import { startImageWebhook } from '#test/support/servers/image-webhook.ts';
import { until } from '#test/support/until.ts';
import { applyObjects } from '#test/support/worlds/project.ts';
import { testBucket } from '#test/support/worlds/test-bucket.ts';
import { startZipperWorld, type ZipperWorld } from '#test/support/worlds/zipper-world.ts';

const NAMESPACE = 'rewritten-images';

describe('a cluster that rewrites images', function () {
  this.timeout(240_000);
  const life = new AsyncDisposableStack();
  let world: ZipperWorld;

  before(async () => {
    world = life.use(await startZipperWorld(NAMESPACE));
    const webhook = life.use(await startImageWebhook(DIGEST));
    const configuration = webhook.configurationFor(NAMESPACE);
    await applyObjects(world.cluster, [configuration]);
    life.defer(async () => {
      await world.kubectl('delete', 'mutatingwebhookconfiguration', configuration.metadata.name);
    });
    await until('the webhook to be called', async () => {
      const image = '{.spec.template.spec.containers[0].image}';
      const probe = ['create', 'job', 'probe', '--image=probe', '--dry-run=server'];
      return (await world.kubectl(...probe, '-o', `jsonpath=${image}`)) === `probe@${DIGEST}`;
    });
  });
  after(() => life.disposeAsync());

  async function followJobs(component: string) {
    const api = life.use(await adminApi(world.cluster));
    const selector = `labelSelector=app.kubernetes.io%2Fcomponent%3D${component}`;
    const path = `/apis/batch/v1/namespaces/${NAMESPACE}/jobs?${selector}`;
    return life.use(
      await followObjects(api, path, ({ spec }: Job) => spec?.template.spec?.containers[0]?.image ?? ''),
    );
  }

  it('runs archives and recoveries with the digest, each in one Job (X9)', async () => {
    const [archives, recoveries] = [await followJobs('archive'), await followJobs('recover')];
    const held = world.hold();
    const uuid = await world.start([held.url]);
    world.cluster.node.kill(await world.untilUploading(uuid), 'SIGKILL');
    held.release();
    const { status } = await world.untilEnd(uuid);
    expect(status, JSON.stringify(status)).to.include({ phase: 'Succeeded', attemptsTotal: 2 });
    function imagesIn({ events }: typeof archives): readonly string[] {
      return events.filter(({ type }) => type === 'ADDED').map(({ object }) => object);
    }
    expect(imagesIn(archives)).to.have.length(1);
    expect(imagesIn(recoveries)).to.have.length.above(0);
    for (const image of [...imagesIn(archives), ...imagesIn(recoveries)])
      expect(image).to.match(/^localhost\/zipjobs-zipper:[^@]+@sha256:[0-9a-f]{64}$/);
  });

  it('tests buckets with the digest (X9)', async () => {
    const name = bucketResourceName('s3', world.project.bucketName);
    const bucket = await testBucket(world.cluster, NAMESPACE, name);
    expect(findCondition(bucket.status?.conditions, 'Ready')).to.include({ status: 'True' });
  });
});
