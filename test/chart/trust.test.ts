import { expect } from 'chai';
import { envOf, find, podOf, refusalOf, render, zipperPolicy } from './render.ts';

const COMPONENTS = ['api', 'controller', 'dashboard'] as const;
const BUNDLE = {
  'dashboard.enabled': true,
  'trustBundle.configMapKeyRef': { name: 'corporate-ca', key: 'bundle.pem' },
};

describe('the trust bundle of the chart', function () {
  this.timeout(30 * 60_000);

  it('is not mounted by default, and zippers may not have one (X22)', async () => {
    const objects = await render({ 'dashboard.enabled': true });
    for (const component of COMPONENTS) {
      expect(envOf(objects, component).has('TRUST_BUNDLE_FILE')).to.equal(false);
      expect(JSON.stringify(podOf(find(objects, 'Deployment', `zipjobs-${component}`)))).not.to.contain(
        'trust',
      );
    }
    expect(zipperPolicy(objects)).not.to.contain('TRUST_BUNDLE');
  });

  it('is a ConfigMap that every process mounts as a folder, so that changes arrive (X22)', async () => {
    const objects = await render(BUNDLE);
    for (const component of COMPONENTS) {
      const pod = podOf(find(objects, 'Deployment', `zipjobs-${component}`));
      expect(pod.volumes).to.deep.include({
        name: 'trust-bundle',
        configMap: { name: 'corporate-ca', items: [{ key: 'bundle.pem', path: 'ca.crt' }] },
      });
      const mount = { name: 'trust-bundle', mountPath: '/etc/zipjobs/trust-bundle', readOnly: true };
      expect(pod.containers[0]?.['volumeMounts']).to.deep.include(mount);
      const variable = envOf(objects, component).get('TRUST_BUNDLE_FILE');
      expect(variable?.value).to.equal('/etc/zipjobs/trust-bundle/ca.crt');
    }
    expect(zipperPolicy(objects)).to.contain('TRUST_BUNDLE');
  });

  it('may be in the ConfigMap that OpenShift or trust-manager fills, by its name alone (X22)', async () => {
    const objects = await render({ 'trustBundle.configMapKeyRef.name': 'trusted-ca' });
    const pod = podOf(find(objects, 'Deployment', 'zipjobs-controller'));
    expect(JSON.stringify(pod.volumes)).to.contain('"items":[{"key":"ca-bundle.crt","path":"ca.crt"}]');
  });

  it('must be a key of a ConfigMap (X22)', async () => {
    for (const configMapKeyRef of [{ name: 'A b' }, { name: 'ca', key: '../ca' }, { secret: 'ca' }]) {
      expect(await refusalOf({ 'trustBundle.configMapKeyRef': configMapKeyRef })).to.contain(
        "values don't meet the specifications of the schema",
      );
    }
  });
});
