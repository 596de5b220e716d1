import { expect } from 'chai';
import { find, render } from './render.ts';

describe('the flow control of the chart', function () {
  this.timeout(30 * 60_000);

  it('is created only if enabled, for the accounts of the components that exist (G1)', async () => {
    const kinds = (await render({})).map(({ kind }) => kind);
    expect(kinds).to.not.include('FlowSchema').and.not.include('PriorityLevelConfiguration');
    async function accounts(values: Record<string, boolean>): Promise<unknown> {
      const objects = await render({ 'flowControl.enabled': true, ...values });
      const spec = find(objects, 'FlowSchema', 'zipjobs')['spec'] as {
        priorityLevelConfiguration: { name: string };
        rules: [{ subjects: { serviceAccount: { name: string } }[] }];
      };
      find(objects, 'PriorityLevelConfiguration', spec.priorityLevelConfiguration.name);
      return spec.rules[0].subjects.map(({ serviceAccount }) => serviceAccount.name);
    }
    expect(await accounts({})).to.deep.equal(['zipjobs-api', 'zipjobs-controller']);
    expect(await accounts({ 'dashboard.enabled': true })).to.deep.equal([
      'zipjobs-api',
      'zipjobs-controller',
      'zipjobs-dashboard',
    ]);
  });
});
