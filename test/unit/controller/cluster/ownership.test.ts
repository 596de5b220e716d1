import { expect } from 'chai';
import { isControlledBy, isOwnedBy, isPodOf } from '#controller/cluster/ownership.ts';
import { GROUP_VERSION } from '#crds/api-group.ts';
import type { OwnerReference } from '#crds/object-meta.ts';
import type { Pod } from '#runtime/kube/resources.ts';
import { aJob, aPod, aZipJob, NAME, NAMESPACE } from '#test/support/builders/objects.ts';

function owner(change: Partial<OwnerReference> = {}): OwnerReference {
  return {
    apiVersion: GROUP_VERSION,
    kind: 'ZipJob',
    name: NAME,
    uid: 'uid-zipjob',
    controller: true,
    ...change,
  };
}

describe('ownership', () => {
  const zipJob = aZipJob();
  function jobWith(...ownerReferences: readonly OwnerReference[]) {
    return aJob({ metadata: { ownerReferences } });
  }

  it('counts the reference that controls an object, whatever others it has', () => {
    const other = owner({ kind: 'ConfigMap', apiVersion: 'v1', uid: 'x', controller: false });
    expect(isOwnedBy(jobWith(owner()), zipJob)).to.equal(true);
    expect(isOwnedBy(jobWith(other, owner({ apiVersion: 'zipjobs.dev/v2' })), zipJob)).to.equal(true);
    expect(isOwnedBy(jobWith(), zipJob)).to.equal(false);
    expect(isOwnedBy(aJob({ metadata: { ownerReferences: undefined as never } }), zipJob)).to.equal(false);
  });

  for (const [what, change] of [
    ['does not control', { controller: false }],
    ['is of another kind', { kind: 'ZipBucket' }],
    ['is of another group', { apiVersion: 'example.com/v1' }],
    ['is of a group that only starts the same', { apiVersion: 'zipjobs.dev.example.com/v1' }],
    ['has another name', { name: 'other' }],
    ['has another uid', { uid: 'uid-other' }],
  ] as const)
    it(`does not count a reference that ${what} (N19)`, () => {
      expect(isOwnedBy(jobWith(owner(change)), zipJob)).to.equal(false);
    });

  it('does not count a reference from another namespace (N19)', () => {
    const job = aJob({ metadata: { namespace: 'mallory' } });
    expect(isControlledBy(job, 'ZipJob', zipJob.metadata)).to.equal(false);
    expect(isPodOf(aPod('p', { metadata: { namespace: 'mallory' } }), aJob().metadata)).to.equal(false);
    expect(isPodOf(aPod('p'), aJob().metadata)).to.equal(true);
  });

  it('does not count an owner without a uid', () => {
    const { uid: _uid, ...metadata } = zipJob.metadata;
    const reference = owner();
    Reflect.deleteProperty(reference, 'uid');
    expect(isControlledBy(jobWith(reference), 'ZipJob', metadata)).to.equal(false);
  });

  it('does not count a Job or pod of another service account (N19)', () => {
    expect(isOwnedBy({ ...aJob(), spec: { template: { spec: { containers: [] } } } }, zipJob)).to.equal(
      false,
    );
    const pod: Pod = { ...aPod('p'), spec: { serviceAccountName: 'default' } };
    expect(isPodOf(pod, { namespace: NAMESPACE, name: NAME, uid: 'uid-job' })).to.equal(false);
  });
});
