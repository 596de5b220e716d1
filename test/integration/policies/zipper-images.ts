/**
 * The image that a zipper's Job may have. Admission policies see a Job as the webhooks of the cluster changed it: Kyverno adds the
 * digest of the image, replaces its tag by it, or replaces its registry by a mirror.
 */
import { namesOf, otherNames } from '#test/support/image-names.ts';
import { until } from '#test/support/until.ts';
import { refusalOf } from './bad-jobs.ts';
import { fullJob, type JobBody, tryJob } from './job-body.ts';
import { accept, expectRefusal, OWN, type World } from './world.ts';

const MIRROR = 'mirror.example.com:5000/cache/acme/zipjobs-zipper';

export const describeZipperImages = (theWorld: () => World): void => {
  let world: World;
  let job: JobBody;
  let repository: string;
  let tag: string;
  before(async () => {
    world = theWorld();
    job = fullJob(world, await world.createZipJob(OWN));
    [repository = '', tag = ''] = String(job.spec.template.spec.containers[0]['image']).split(':');
  });
  const tryImage = (image: string) => {
    const changed = structuredClone(job);
    changed.spec.template.spec.containers[0]['image'] = image;
    return tryJob(world, changed);
  };
  const expectRefused = async (images: readonly string[]): Promise<void> => {
    for (const image of images) expectRefusal(await tryImage(image), refusalOf('container fields', 'image'));
  };

  it('may have a digest in addition to its tag or instead of it (X9)', async () => {
    for (const image of namesOf(repository, tag)) accept(await tryImage(image));
  });

  it('may not be any other image (X9) (N9)', async () => {
    await expectRefused([...otherNames(repository, tag), ...namesOf(MIRROR, tag)]);
  });

  it("may come from the operator's mirrors, with the same tag (X9)", async () => {
    await world.upgrade('--set', `policies.zipperImageMirrors={${MIRROR}}`);
    try {
      await until('the mirror to be accepted', async () => {
        const { status } = await tryImage(`${MIRROR}:${tag}`);
        return status === 201;
      });
      for (const name of [repository, MIRROR])
        for (const image of namesOf(name, tag)) accept(await tryImage(image));
      await expectRefused([...otherNames(repository, tag), ...otherNames(MIRROR, tag)]);
    } finally {
      await world.upgrade();
    }
  });
};
