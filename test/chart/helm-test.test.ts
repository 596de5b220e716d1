import { expect } from 'chai';
import { checksOf } from '#api/programs/release-check/checks.ts';
import { readReleaseCheckConfig } from '#api/programs/release-check/config.ts';
import {
  type Container,
  find,
  type KubeObject,
  type PodSpec,
  plainEnv,
  render,
  type Values,
} from './render.ts';

/** Its name depends on the values. */
function podOf(objects: readonly KubeObject[]): PodSpec {
  const pod = objects.find(({ kind }) => kind === 'Pod');
  if (pod === undefined) throw new Error('the chart has no Pod');
  return pod['spec'] as PodSpec;
}

function containerOf(objects: readonly KubeObject[]): Container {
  const [container, ...others] = podOf(objects).containers;
  expect(others).to.deep.equal([]);
  if (container === undefined) throw new Error('the pod of helm test has no container');
  return container;
}

/** The URLs that `helm test` requests. */
function urlsOf(objects: readonly KubeObject[]): readonly string[] {
  const env = new Map((containerOf(objects).env ?? []).map((variable) => [variable.name, variable]));
  return checksOf(readReleaseCheckConfig(plainEnv(env))).map(({ url }) => url);
}

describe('helm test', function () {
  this.timeout(30 * 60_000);

  it('is a hook whose pod is deleted only before the next test, so that its log can be read (X29)', async () => {
    const { metadata } = find(await render(), 'Pod', 'zipjobs-test');
    expect(metadata.annotations).to.include({
      'helm.sh/hook': 'test',
      'helm.sh/hook-delete-policy': 'before-hook-creation',
    });
    expect(metadata.namespace).to.equal('zipjobs-system');
  });

  it('requests the Services of the release, below the base path of the API (X29)', async () => {
    const suffix = 'zipjobs-system.svc';
    expect(urlsOf(await render())).to.deep.equal([
      `http://zipjobs-api.${suffix}:80/openapi.json`,
      `http://zipjobs-api.${suffix}:80/v1/zips/00000000-0000-0000-0000-000000000000`,
      `http://zipjobs-controller.${suffix}:9090/readyz`,
    ]);
    const values: Values = {
      fullnameOverride: 'z',
      'api.basePath': '/archives',
      'api.service.port': 8000,
      'dashboard.enabled': true,
      'dashboard.service.port': 8001,
    };
    expect(urlsOf(await render(values))).to.deep.equal([
      `http://z-api.${suffix}:8000/archives/openapi.json`,
      `http://z-api.${suffix}:8000/archives/v1/zips/00000000-0000-0000-0000-000000000000`,
      `http://z-controller.${suffix}:9090/readyz`,
      `http://z-dashboard.${suffix}:8001/sign-in`,
    ]);
  });

  it('runs the image of the API with its resources, placement and pull Secrets, for a limited time (X29)', async () => {
    const objects = await render({
      'api.image.digest': `sha256:${'a'.repeat(64)}`,
      'image.pullSecrets': [{ name: 'pull' }],
      'api.podTemplate.spec.tolerations': [{ key: 'dedicated', operator: 'Exists' }],
      'api.podTemplate.spec.nodeSelector': { pool: 'system' },
      'test.timeoutSeconds': 30,
    });
    expect(podOf(objects)).to.deep.include({
      restartPolicy: 'Never',
      activeDeadlineSeconds: 150,
      imagePullSecrets: [{ name: 'pull' }],
      tolerations: [{ key: 'dedicated', operator: 'Exists' }],
      nodeSelector: { 'kubernetes.io/os': 'linux', pool: 'system' },
    });
    const api = find(objects, 'Deployment', 'zipjobs-api')['spec'] as { template: { spec: PodSpec } };
    const [ofApi] = api.template.spec.containers;
    const { image, imagePullPolicy, resources } = containerOf(objects);
    expect({ image, imagePullPolicy, resources }).to.deep.equal({
      image: ofApi?.image,
      imagePullPolicy: ofApi?.['imagePullPolicy'],
      resources: ofApi?.['resources'],
    });
  });

  it('has the labels and annotations of the operator beside its own (X29)', async () => {
    const own = { 'sidecar.istio.io/inject': 'false' };
    const values: Values = { 'hooks.podTemplate.metadata': { labels: own, annotations: { note: 'a' } } };
    const { metadata } = find(await render(values), 'Pod', 'zipjobs-test');
    expect(metadata.labels).to.include({ ...own, 'app.kubernetes.io/component': 'test' });
    expect(metadata.annotations).to.include({ note: 'a', 'helm.sh/hook': 'test' });
    const uninstall = find(await render(values), 'Job', 'zipjobs-uninstall')['spec'] as {
      readonly template: Pick<KubeObject, 'metadata'>;
    };
    expect(uninstall.template.metadata.labels).to.include({
      ...own,
      'app.kubernetes.io/component': 'uninstall',
    });
  });

  it('reaches the controller through a Service of its admin port (X29)', async () => {
    const objects = await render();
    const { selector, ports } = find(objects, 'Service', 'zipjobs-controller')['spec'] as {
      selector: Readonly<Record<string, string>>;
      ports: readonly unknown[];
    };
    const deployment = find(objects, 'Deployment', 'zipjobs-controller')['spec'] as {
      selector: { matchLabels: Readonly<Record<string, string>> };
    };
    expect(selector).to.deep.equal(deployment.selector.matchLabels);
    expect(ports).to.deep.equal([{ name: 'admin', port: 9090, targetPort: 'admin', appProtocol: 'http' }]);
  });

  it('can be switched off, with its Service and its network policy (X29)', async () => {
    const objects = await render({
      'test.enabled': false,
      'networkPolicies.enabled': true,
      'networkPolicies.apiServerCidrs': ['10.96.0.1/32'],
      'networkPolicies.apiFrom': [{ podSelector: {} }],
    });
    const titles = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(titles).not.to.include.oneOf(['Pod zipjobs-test', 'Service zipjobs-controller']);
    expect(JSON.stringify(objects)).not.to.contain('"app.kubernetes.io/component":"test"');
  });
});
