import { expect } from 'chai';
import { find, render } from './render.ts';

describe('the policy of project classes', function () {
  this.timeout(30 * 60_000);

  it('covers every request that can change the labels of a namespace, also through its subresources (N8)', async () => {
    const policy = find(await render(), 'ValidatingAdmissionPolicy', 'zipjobs-project-classes');
    const { matchConstraints } = policy['spec'] as {
      matchConstraints: { resourceRules: readonly { readonly resources: readonly string[] }[] };
    };
    expect(matchConstraints.resourceRules.flatMap(({ resources }) => resources)).to.have.members([
      'namespaces',
      'namespaces/status',
      'namespaces/finalize',
    ]);
  });
});
