import { expect } from 'chai';
import { isJobFinished, jobFailure } from '#controller/cluster/job-state.ts';
import { findCondition } from '#crds/conditions.ts';
import { isFinished, type ZipJob, type ZipJobStatus } from '#crds/zip-job.ts';
import type { JobWorld } from './job-world.ts';
import { taskOf } from './world-zipper.ts';

/** An inherited upload is forgotten only when it is gone, given up or published, or its heir started another. */
function expectKept(was: ZipJobStatus, is: ZipJobStatus): void {
  if (!was.inherits || is.inherits?.uploadId === was.inherits.uploadId) return;
  const recovered = findCondition(is.conditions, 'Recovered');
  const isRecovered = recovered?.status === 'True' && recovered.reason !== 'Inherited';
  const isOther = is.upload !== undefined && is.upload.uploadId !== was.inherits.uploadId;
  expect(isRecovered || isOther || is.reason === 'Deleted', 'an inherited upload is not forgotten').to.equal(
    true,
  );
}

/** Nobody aborts an upload that the active pod may continue. */
function expectNoRecovery(is: ZipJobStatus, { jobs }: JobWorld): void {
  const { inherits, job } = is;
  if (!inherits || job?.podUid === undefined) return;
  const running = jobs.all().filter((one) => !isJobFinished(one) && !jobFailure(one));
  expect(running.map((one) => taskOf(one)['uploadId'])).not.to.include(inherits.uploadId);
}

/** Before a pod becomes active, it is the only one that may write the ZipCheckpoint. */
function expectFence(was: ZipJobStatus, is: ZipJobStatus, { checkpoints }: JobWorld): void {
  const podUid = is.job?.podUid;
  if (is.checkpointed !== true || podUid === undefined || podUid === was.job?.podUid) return;
  expect(checkpoints.all().map(({ spec }) => spec.activePodUid)).to.deep.equal([podUid]);
}

function expectNothingLeft(is: ZipJobStatus, { checkpoints }: JobWorld): void {
  expect(checkpoints.all(), 'no ZipCheckpoint after the end').to.deep.equal([]);
  expect(is).to.not.have.any.keys('inherits', 'checkpointed');
}

/** What holds for every write of the controller about an upload that outlives its pod. */
export function expectInheritance(before: ZipJob, after: ZipJob, world: JobWorld): void {
  const [was, is] = [before.status ?? {}, after.status ?? {}];
  expectKept(was, is);
  expectNoRecovery(is, world);
  expectFence(was, is, world);
  if (isFinished(after)) expectNothingLeft(is, world);
}
