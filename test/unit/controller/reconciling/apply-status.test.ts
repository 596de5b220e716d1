import { expect } from 'chai';
import { createApplyStatus } from '#controller/reconciling/apply-status.ts';
import { aZipProject, NAMESPACE } from '#test/support/builders/objects.ts';

describe('applyStatus', () => {
  const calls: unknown[] = [];
  const apply = createApplyStatus('ZipProject', {
    apply: (...call) => {
      calls.push(call);
      return Promise.resolve(aZipProject());
    },
  });

  it('writes with the observed uid and version, and with one field manager', async () => {
    await apply(aZipProject(), { conditions: [] });
    expect(calls).to.deep.equal([
      [
        {
          apiVersion: 'zipjobs.dev/v1alpha1',
          kind: 'ZipProject',
          metadata: { name: 'project', namespace: NAMESPACE, uid: 'uid-project', resourceVersion: '7' },
          status: { conditions: [] },
        },
        { fieldManager: 'zipjobs-controller', subresource: 'status' },
      ],
    ]);
  });

  it('writes nothing without a uid or a version', async () => {
    for (const name of ['uid', 'resourceVersion'] as const) {
      const { [name]: _left, ...metadata } = aZipProject().metadata;
      const error = await apply({ ...aZipProject(), metadata }, {}).catch((thrown: unknown) => thrown);
      expect(error).to.be.an('error').with.property('message').that.contains(`${NAMESPACE}/project`);
    }
  });
});
