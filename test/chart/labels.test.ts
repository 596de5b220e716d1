import { expect } from 'chai';
import { find, refusalOf, render, type Values } from './render.ts';

/** Labels and annotations of the chart, as an operator may set them too. */
const OWN_NAMES: Values = {
  commonLabels: {
    'app.kubernetes.io/part-of': 'platform',
    'app.kubernetes.io/managed-by': 'argocd',
    'app.kubernetes.io/version': '7',
    'helm.sh/chart': 'umbrella',
    'rbac.authorization.k8s.io/aggregate-to-admin': 'false',
    team: 'storage',
  },
  'hooks.podTemplate.metadata.annotations': { mesh: 'off' },
};

describe('the labels of the chart', function () {
  this.timeout(30 * 60_000);

  it('appear once, with the value of the chart, when commonLabels sets them too (BC11)', async () => {
    // It fails for a key that appears twice.
    const objects = await render(OWN_NAMES);
    for (const { kind, metadata } of objects)
      expect(metadata.labels, `${kind} ${metadata.name}`).to.include({
        'app.kubernetes.io/part-of': 'zipjobs',
        'app.kubernetes.io/managed-by': 'Helm',
        team: 'storage',
      });
    expect(find(objects, 'ClusterRole', 'zipjobs-admin').metadata.labels).to.include({
      'rbac.authorization.k8s.io/aggregate-to-admin': 'true',
    });
    expect(find(objects, 'Pod', 'zipjobs-test').metadata.annotations).to.deep.equal({
      'helm.sh/hook': 'test',
      'helm.sh/hook-delete-policy': 'before-hook-creation',
      mesh: 'off',
    });
  });

  for (const label of ['name', 'instance', 'component'].map((name) => `app.kubernetes.io/${name}`))
    it(`refuse ${label} in commonLabels, by which the chart selects its pods (BC11)`, async () => {
      expect(await refusalOf({ commonLabels: { [label]: 'platform' } })).to.contain(
        `commonLabels contains ${label}, by which the chart selects its pods: remove it`,
      );
    });

  it('select the pods of each Deployment, which no podTemplate can change (BC11)', async () => {
    const objects = await render({ 'api.podTemplate.metadata.labels': { mesh: 'off' } });
    const deployment = find(objects, 'Deployment', 'zipjobs-api');
    const { selector, template } = deployment['spec'] as {
      readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
      readonly template: { readonly metadata: { readonly labels: Readonly<Record<string, string>> } };
    };
    expect(template.metadata.labels).to.include({ ...selector.matchLabels, mesh: 'off' });
    for (const label of Object.keys(selector.matchLabels))
      expect(await refusalOf({ 'api.podTemplate.metadata.labels': { [label]: 'other' } })).to.contain(
        `api.podTemplate contains the label ${label}, which the chart sets itself: remove it`,
      );
  });

  it('and annotations of hooks cannot be replaced (BC11)', async () => {
    const annotations = { 'helm.sh/hook': 'post-install' };
    expect(await refusalOf({ 'hooks.podTemplate.metadata': { annotations } })).to.contain(
      'hooks.podTemplate contains the annotation helm.sh/hook, which the chart sets itself: remove it',
    );
  });
});
