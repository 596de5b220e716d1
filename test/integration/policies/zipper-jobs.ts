/** Which Jobs the controller may create: only those of the chart's table, so that a compromised controller gains no pod of its own. */

import { testJob } from '#controller/zip-bucket/test-manifest.ts';
import { recoveryJob } from '#controller/zip-job/manifest/job-manifest.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { BAD_JOBS, refusalOf, replaceVolume, secretFiles } from './bad-jobs.ts';
import { fullJob, type JobBody, tryJob } from './job-body.ts';
import { accept, expectRefusal, OWN, type World, ZIP_BUCKET } from './world.ts';

export function describeZipperJobs(theWorld: () => World): void {
  let world: World;
  let zipJob: ZipJob;
  before(async () => {
    world = theWorld();
    zipJob = await world.createZipJob(OWN);
  });

  it('include the Job of a ZipJob that has its list in Secrets (P7)', async () => {
    accept(await tryJob(world, fullJob(world, zipJob)));
  });

  it('include the Job that recovers an attempt (N9)', async () => {
    const upload = { uploadId: 'u', state: 'open', partSize: 1 } as const;
    const lost = { attempt: { n: 1, podUid: 'p' }, upload, bucket: ZIP_BUCKET, now: new Date() };
    accept(await tryJob(world, recoveryJob(zipJob, lost, world.config)));
  });

  it('include the Job of a rerun ZipJob: it mounts the one list that its annotation names (P7)', async () => {
    function rerun(of: string, list: string): JobBody {
      const job = fullJob(world, zipJob);
      replaceVolume(job.spec.template.spec, 'files', secretFiles(list));
      return { ...job, metadata: { ...job.metadata, annotations: { 'zipjobs.dev/file-list-of': of } } };
    }
    accept(await tryJob(world, rerun('zip-first', 'zip-first-files-0')));
    expectRefusal(
      await tryJob(world, rerun('zip-first', 'zip-other-files-0')),
      refusalOf('volumes', 'files'),
    );
    expectRefusal(
      await tryJob(world, rerun('.*', 'zip-other-files-0')),
      'the annotation zipjobs.dev/file-list-of must be the name of a ZipJob',
    );
  });

  for (const [what, change, message] of BAD_JOBS)
    it(`do not include one with ${what} (P7, N9)`, async () => {
      const job = fullJob(world, zipJob);
      change(job.spec.template.spec, job);
      expectRefusal(await tryJob(world, job), message);
    });

  describe('for the test of a bucket', () => {
    const { metadata } = ZIP_BUCKET;
    const bucket = { ...ZIP_BUCKET, metadata: { ...metadata, uid: 'b2c9a4c2-6d0a-4f57-8e1b-9a3f5f6f7a02' } };
    function aTest() {
      return structuredClone(testJob(bucket, '1', world.config)) as unknown as JobBody;
    }

    it('include a Job that mounts the Secret of that bucket (P7)', async () => {
      accept(await tryJob(world, aTest()));
    });

    it('do not include one that mounts the Secret of another bucket, a token or a file list (P7)', async () => {
      const other = aTest();
      replaceVolume(other.spec.template.spec, 'bucket', { secret: { secretName: 'zipbucket-s3-other' } });
      expectRefusal(await tryJob(world, other), refusalOf('volumes', 'bucket'));
      const full = fullJob(world, zipJob).spec.template.spec.volumes;
      for (const name of ['api-token', 'files']) {
        const job = aTest();
        job.spec.template.spec.volumes.push(...full.filter((volume) => volume['name'] === name));
        expectRefusal(await tryJob(world, job), refusalOf('volumes', name));
      }
    });

    it('do not include one with the component of an archive (N9)', async () => {
      const job = aTest();
      job.spec.template.metadata.labels['app.kubernetes.io/component'] = 'archive';
      expectRefusal(await tryJob(world, job), refusalOf('pod labels', 'app.kubernetes.io/component'));
    });
  });
}
