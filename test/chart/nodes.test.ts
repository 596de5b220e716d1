/** Which nodes run our pods, and what may move them. */
import { expect } from 'chai';
import { allPods, POD_NAMES } from './all-pods.ts';
import { render, zipperPolicy } from './render.ts';

const COMPONENTS = ['api', 'controller', 'dashboard', 'zipper'];

function withNodeSelector(nodeSelector: Readonly<Record<string, string | null>>) {
  return Object.fromEntries(
    COMPONENTS.map((name) => [`${name}.podTemplate.spec.nodeSelector`, nodeSelector]),
  );
}

describe('the nodes of our pods', function () {
  this.timeout(30 * 60_000);

  it('run Linux (X40)', async () => {
    const pods = await allPods();
    expect([...pods.keys()]).to.have.members(POD_NAMES);
    for (const [name, { spec }] of pods)
      expect(spec['nodeSelector'], name).to.deep.equal({ 'kubernetes.io/os': 'linux' });
  });

  it('have the labels of the operator too, which can replace that of Linux (X40)', async () => {
    for (const [name, { spec }] of await allPods(withNodeSelector({ disk: 'fast' })))
      expect(spec['nodeSelector'], name).to.deep.equal({ 'kubernetes.io/os': 'linux', disk: 'fast' });
    for (const [name, { spec }] of await allPods(withNodeSelector({ 'kubernetes.io/os': 'other' })))
      expect(spec['nodeSelector'], name).to.deep.equal({ 'kubernetes.io/os': 'other' });
    for (const [name, { spec }] of await allPods(
      withNodeSelector({ 'kubernetes.io/os': null, disk: 'fast' }),
    ))
      expect(spec['nodeSelector'], name).to.deep.equal({ disk: 'fast' });
  });

  const KEPT = {
    'karpenter.sh/do-not-disrupt': 'true',
    'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
  };
  const ZIPPERS = ['archive', 'recover', 'check-bucket'];

  it('are not removed by autoscalers while a zipper runs; other pods can move (X43)', async () => {
    for (const [name, { metadata }] of await allPods()) {
      const { annotations = {} } = metadata;
      if (ZIPPERS.includes(name)) expect(annotations, name).to.include(KEPT);
      else expect(annotations, name).not.to.have.any.keys(...Object.keys(KEPT));
    }
  });

  it('can be removed by autoscalers if the operator replaces or removes the annotations (X43)', async () => {
    const values = {
      'zipper.podTemplate.metadata.annotations': {
        'karpenter.sh/do-not-disrupt': null,
        'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true',
        'example.com/team': 'storage',
      },
    };
    const objects = await render(values);
    const pods = await allPods(values);
    for (const name of ZIPPERS) {
      const annotations = pods.get(name)?.metadata.annotations;
      expect(annotations, name).to.include.all.keys(
        'cluster-autoscaler.kubernetes.io/safe-to-evict',
        'example.com/team',
        'zipjobs.dev/task',
      );
      expect(annotations, name).not.to.have.property('karpenter.sh/do-not-disrupt');
      expect(annotations, name).to.include({ 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true' });
    }
    // It requires what the controller writes.
    expect(zipperPolicy(objects)).not.to.contain('karpenter.sh');
    expect(zipperPolicy(await render())).to.contain('karpenter.sh/do-not-disrupt');
  });
});
