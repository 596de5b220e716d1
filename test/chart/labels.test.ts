import { expect } from 'chai';
import { allPods, podTemplateOf, zipperJobs } from './all-pods.ts';
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
    expect(find(objects, 'Pod', 'zipjobs-test').metadata.annotations).to.include({
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

  it('keep the sidecars of service meshes out of hooks, unless hooks.podTemplate replaces them', async () => {
    const hooks = ['migrate', 'test', 'uninstall'];
    const pods = await allPods();
    for (const name of hooks) {
      const { labels, annotations } = pods.get(name)?.metadata ?? {};
      expect(labels, name).to.include({
        'sidecar.istio.io/inject': 'false',
        'kuma.io/sidecar-injection': 'disabled',
      });
      expect(annotations, name).to.include({
        'sidecar.istio.io/inject': 'false',
        'linkerd.io/inject': 'disabled',
        'consul.hashicorp.com/connect-inject': 'false',
      });
    }
    const metadata = {
      labels: { 'sidecar.istio.io/inject': 'true' },
      annotations: { 'linkerd.io/inject': null },
    };
    const replaced = await allPods({ 'hooks.podTemplate.metadata': metadata });
    for (const name of hooks) {
      expect(replaced.get(name)?.metadata.labels, name).to.include({ 'sidecar.istio.io/inject': 'true' });
      expect(replaced.get(name)?.metadata.annotations, name).not.to.have.property('linkerd.io/inject');
    }
  });

  for (const label of [
    'zipjobs.dev/class',
    'kueue.x-k8s.io/queue-name',
    'batch.kubernetes.io/job-name',
    'job-name',
    'argocd.argoproj.io/instance',
  ])
    it(`refuse ${label} in commonLabels, which would change what created objects are (X41)`, async () => {
      expect(await refusalOf({ commonLabels: { [label]: 'a' } })).to.contain("values don't meet");
    });

  for (const annotation of ['zipjobs.dev/task', 'helm.sh/hook', 'argocd.argoproj.io/tracking-id'])
    it(`refuse ${annotation} in commonAnnotations, which would change what created objects are (X41)`, async () => {
      expect(await refusalOf({ commonAnnotations: { [annotation]: 'a' } })).to.contain("values don't meet");
    });

  it('and annotations of one object win over those of all (X41)', async () => {
    const objects = await render({
      commonLabels: { team: 'storage' },
      commonAnnotations: { cost: '7', mesh: 'on' },
      deploymentAnnotations: { cost: '8' },
      'api.service.annotations': { cost: '9' },
      'api.podTemplate.metadata.annotations': { mesh: 'off', cost: null },
      'zipper.podTemplate.metadata.labels': { team: 'archives' },
    });
    const deployment = find(objects, 'Deployment', 'zipjobs-api');
    expect(deployment.metadata.annotations).to.deep.equal({ cost: '8', mesh: 'on' });
    expect(find(objects, 'Service', 'zipjobs-api').metadata.annotations).to.deep.equal({
      cost: '9',
      mesh: 'on',
    });
    expect(podTemplateOf(deployment)?.metadata.annotations).to.deep.equal({ mesh: 'off' });
    const [archive] = zipperJobs(objects);
    expect(archive?.spec?.template.metadata?.labels).to.include({ team: 'archives' });
    expect(archive?.spec?.template.metadata?.annotations).to.include({ cost: '7', mesh: 'on' });
  });
});
