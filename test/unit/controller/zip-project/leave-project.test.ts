import { expect } from 'chai';
import { createLeaveProject } from '#controller/zip-project/leave-project.ts';
import { FINALIZER } from '#crds/api-group.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { createFakeObjects } from '#test/support/builders/fake-objects.ts';
import { ago, aZipBucket, aZipJob, aZipProject, NAMESPACE, NOW } from '#test/support/builders/objects.ts';

const webhook = { state: 'Enabled', endpoint: 'e' } as const;

const deletedProject = (): ZipProject => {
  const project = aZipProject();
  const metadata = {
    ...project.metadata,
    resourceVersion: '7',
    finalizers: [FINALIZER],
    deletionTimestamp: ago(60),
  };
  return { ...project, metadata, status: { webhook } };
};

const setUp = () => {
  const zipJobs = createFakeObjects<ZipJob>();
  const buckets = createFakeObjects<ZipBucket>();
  const applied: unknown[] = [];
  const released: ZipProject[] = [];
  const leave = createLeaveProject({
    caches: { zipJobs: zipJobs.reflector, buckets: buckets.reflector },
    projects: {
      apply: (object) => {
        applied.push(object);
        return Promise.resolve(deletedProject());
      },
    },
    zipJobs: zipJobs.client,
    finalizers: {
      add: () => Promise.resolve(),
      release: (project) => {
        released.push(project);
        return Promise.resolve();
      },
    },
    isNamespaceTerminating: () => Promise.resolve(false),
    projectDeletionSeconds: 300,
    clock: { date: () => NOW },
  });
  return { zipJobs, buckets, applied, released, leave };
};

describe('leaveProject', () => {
  it('writes what it waits for only into the version of the ZipProject that it read', async () => {
    const { zipJobs, applied, leave } = setUp();
    zipJobs.put(aZipJob());
    expect(await leave(deletedProject())).to.equal(240_000);
    expect(applied).to.have.lengthOf(1);
    expect(applied[0]).to.deep.include({
      metadata: { name: 'project', namespace: NAMESPACE, resourceVersion: '7' },
    });
    expect(applied[0]).to.have.nested.property('status.conditions[0].reason', 'ProjectDeleting');
    expect(applied[0]).to.have.nested.property('status.webhook').that.deep.equals(webhook);
  });

  it('cancels the jobs that are not finished', async () => {
    const { zipJobs, leave } = setUp();
    const { name } = zipJobs.put(aZipJob()).metadata;
    await leave(deletedProject());
    expect(zipJobs.calls).to.deep.equal([`patch ${NAMESPACE}/${name} {"spec":{"cancel":true}}`]);
  });

  it('does not write the same condition twice', async () => {
    const { buckets, applied, leave } = setUp();
    buckets.put(aZipBucket());
    await leave(deletedProject());
    const { status } = applied[0] as ZipProject;
    await leave({ ...deletedProject(), ...(status && { status }) });
    expect(applied).to.have.lengthOf(1);
  });

  it('removes the finalizer once neither jobs nor buckets are left', async () => {
    const { applied, released, leave } = setUp();
    expect(await leave(deletedProject())).to.equal(undefined);
    expect([applied.length, released.length]).to.deep.equal([0, 1]);
  });
});
