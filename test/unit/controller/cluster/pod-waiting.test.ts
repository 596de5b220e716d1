import { expect } from 'chai';
import { podWaiting } from '#controller/cluster/pod-waiting.ts';
import { ago, aPod, NOW } from '#test/support/builders/objects.ts';
import { waitingFor } from '#test/support/builders/pod-statuses.ts';

describe('podWaiting', () => {
  it('reports why a node does not start the container (F13)', () => {
    const pod = aPod('p', { status: waitingFor('ImagePullBackOff', 'no such image') });
    expect(podWaiting(pod, NOW)).to.deep.equal({
      reason: 'ImagePull',
      message: 'ImagePullBackOff: no such image',
    });
    const config = aPod('p', { status: waitingFor('CreateContainerConfigError', 'no secret') });
    expect(podWaiting(config, NOW)?.reason).to.equal('ContainerConfig');
  });
  it('reports a possibly missing Secret when mounting takes too long', () => {
    const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: ago(31) };
    const status = { ...waitingFor('ContainerCreating', ''), conditions: [scheduled] };
    const pod = {
      ...aPod('p', { status }),
      spec: { volumes: [{ name: 'bucket', secret: { secretName: 'zipbucket-s3-a' } }] },
    };
    expect(podWaiting(pod, NOW)?.message).to.contain('zipbucket-s3-a');
  });
  it('returns nothing for a running pod', () => {
    expect(podWaiting(aPod('p'), NOW)).to.equal(undefined);
  });
});
