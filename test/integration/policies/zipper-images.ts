/**
 * The image that a zipper's Job may have. Admission policies see a Job as the webhooks of the cluster changed it: Kyverno adds the
 * digest of the image, replaces its tag by it, or replaces its registry by a mirror.
 */
import { MIRROR, namesOf, otherNames } from '#test/support/image-names.ts';
import { refusalOf } from './bad-jobs.ts';
import { fullJob, type JobBody, tryJob } from './job-body.ts';
import { accept, expectRefusal, OWN, type World } from './world.ts';

export function describeZipperImages(theWorld: () => World): void {
  let world: World;
  let job: JobBody;
  let repository: string;
  let tag: string;
  before(async () => {
    world = theWorld();
    job = fullJob(world, await world.createZipJob(OWN));
    [repository = '', tag = ''] = String(job.spec.template.spec.containers[0]['image']).split(':');
  });
  function tryImage(image: string) {
    const changed = structuredClone(job);
    changed.spec.template.spec.containers[0]['image'] = image;
    return tryJob(world, changed);
  }

  it('may have a digest in addition to its tag or instead of it (X9)', async () => {
    for (const image of namesOf(repository, tag)) accept(await tryImage(image));
  });

  it('may not be any other image (X9) (N9)', async () => {
    for (const image of [...otherNames(repository, tag), ...namesOf(MIRROR, tag)])
      expectRefusal(await tryImage(image), refusalOf('container fields', 'image'));
  });
}
