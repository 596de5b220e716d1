/** Which Jobs the controller may create: only those of the chart's table, so that a compromised controller gains no pod of its own. */

import { expect } from 'chai';
import { testJob } from '#controller/zip-bucket/test-manifest.ts';
import { archiveJob, recoveryJob } from '#controller/zip-job/manifest/job-manifest.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { until } from '#test/support/until.ts';
import { BAD_JOBS, refusalOf, replaceVolume, secretFiles } from './bad-jobs.ts';
import { fullJob, type JobBody, tryJob } from './job-body.ts';
import { installedConfig } from './release.ts';
import { accept, expectRefusal, jobsPath, OWN, type World, ZIP_BUCKET } from './world.ts';

export const describeZipperJobs = (theWorld: () => World): void => {
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
    const rerun = (of: string, list: string): JobBody => {
      const job = fullJob(world, zipJob);
      replaceVolume(job.spec.template.spec, 'files', secretFiles(list));
      return { ...job, metadata: { ...job.metadata, annotations: { 'zipjobs.dev/file-list-of': of } } };
    };
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

  it('stay valid when an upgrade changes the image, so that their metadata can still be changed (N9)', async () => {
    const { zipJob: name } = await world.createZipper(OWN);
    const path = `${jobsPath(OWN)}/${name}`;
    const relabel = (value: string) =>
      world.editor.request('PATCH', path, { body: { metadata: { labels: { value } } } });
    await world.upgrade('--set', 'zipper.image.tag=next');
    try {
      await until('Jobs of the previous image to be refused', async () => {
        const { message } = await tryJob(world, fullJob(world, zipJob));
        return message.includes(refusalOf('container fields', 'image'));
      });
      accept(await relabel('after'));
    } finally {
      await world.upgrade();
    }
    await until('Jobs of the image to be accepted', async () => {
      const { status } = await tryJob(world, fullJob(world, zipJob));
      return status === 201;
    });
  });

  /** Upgrades the release, and runs the check with a Job of the upgraded controller and one of the previous one. */
  const afterUpgrade = async (
    values: Readonly<Record<string, unknown>>,
    check: (job: JobBody, previous: JobBody) => Promise<void>,
  ): Promise<void> => {
    const previous = fullJob(world, zipJob);
    const flags = Object.entries(values).flatMap(([name, value]) => [
      '--set-json',
      `${name}=${JSON.stringify(value)}`,
    ]);
    await world.upgrade(...flags);
    try {
      const config = await installedConfig(world.cluster);
      const job = fullJob({ jobOf: (one) => ({ ...archiveJob(one, ZIP_BUCKET, config) }) }, zipJob);
      await until('Jobs of the new values to be accepted', async () => {
        const { status, message } = await tryJob(world, job);
        return status === 201 || !message.includes('ValidatingAdmissionPolicy');
      });
      accept(await tryJob(world, job));
      await check(job, previous);
    } finally {
      await world.upgrade();
    }
    await until('Jobs of the previous values to be accepted', async () => {
      const { status } = await tryJob(world, previous);
      return status === 201;
    });
  };

  it('include those without user and group IDs on OpenShift, and then no others (X5)', () =>
    afterUpgrade(
      { 'global.compatibility.openshift.adaptSecurityContext': 'force' },
      async (job, previous) => {
        expect(job.spec.template.spec['securityContext']).not.to.have.any.keys(
          'runAsUser',
          'runAsGroup',
          'fsGroup',
        );
        expectRefusal(await tryJob(world, previous), refusalOf('pod fields', 'securityContext'));
      },
    ));

  it("include those with the operator's labels, annotations and pod fields, and no others (X26)", () => {
    const values = {
      'zipper.podLabels': { 'sidecar.istio.io/inject': 'false' },
      'zipper.podAnnotations': { 'example.com/note': 'a "quoted" text, 100 % \\ ok' },
      'zipper.runtimeClassName': 'gvisor',
      'zipper.affinity': {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 100,
              podAffinityTerm: {
                topologyKey: 'kubernetes.io/hostname',
                labelSelector: { matchLabels: { 'app.kubernetes.io/name': 'zipjobs-zipper' } },
              },
            },
          ],
        },
      },
      'zipper.topologySpreadConstraints': [
        { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' },
      ],
      'zipper.podSecurityContext': { fsGroupChangePolicy: 'OnRootMismatch' },
    };
    return afterUpgrade(values, async (job) => {
      for (const [change, message] of [
        [
          ({ metadata }) => delete metadata.labels['sidecar.istio.io/inject'],
          refusalOf('pod labels', 'sidecar.istio.io/inject'),
        ],
        [
          ({ metadata }) => (metadata.annotations['example.com/note'] = 'x'),
          refusalOf('pod annotations', 'example.com/note'),
        ],
        [({ spec }) => delete spec['runtimeClassName'], refusalOf('pod fields', 'runtimeClassName')],
        [({ spec }) => (spec['runtimeClassName'] = 'other'), refusalOf('pod fields', 'runtimeClassName')],
        [({ spec }) => delete spec['affinity'], refusalOf('pod fields', 'affinity')],
        [
          ({ spec }) => delete spec['topologySpreadConstraints'],
          refusalOf('pod fields', 'topologySpreadConstraints'),
        ],
      ] as readonly [(template: JobBody['spec']['template']) => void, string][]) {
        const changed = structuredClone(job);
        change(changed.spec.template);
        expectRefusal(await tryJob(world, changed), message);
      }
    });
  });

  describe('for the test of a bucket', () => {
    const { metadata } = ZIP_BUCKET;
    const bucket = { ...ZIP_BUCKET, metadata: { ...metadata, uid: 'b2c9a4c2-6d0a-4f57-8e1b-9a3f5f6f7a02' } };
    const aTest = () => structuredClone(testJob(bucket, '1', world.config)) as unknown as JobBody;

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
};
