import { expect } from 'chai';
import { CHART_SETTINGS, namesTemplate, readChartFile } from '#scripts/sync-values.ts';
import {
  fullPodTemplate,
  POD_ENV,
  POD_ENV_FROM,
  POD_METADATA,
  POD_SPEC,
} from '#test/support/builders/pod-fields.ts';
import {
  envOf,
  find,
  type KubeObject,
  podOf,
  refusalOf,
  render,
  type Values,
  zipperPolicy,
} from './render.ts';

const COMPONENTS = ['api', 'controller', 'dashboard'] as const;
type Fields = Readonly<Record<string, unknown>>;

const WITH_SECRETS = {
  'redis.url': 'rediss://redis',
  'redis.caSecret': 'redis-ca',
  'dashboard.enabled': true,
};

/** A podTemplate whose container has one more variable. */
function withEnv(component: string, name: string): Values {
  return { [`${component}.podTemplate.spec.containers`]: [{ name: component, env: [{ name, value: '6' }] }] };
}

function namesOf(list: unknown): readonly unknown[] {
  return (list as readonly Fields[]).map(({ name }) => name);
}

describe('the podTemplate of a component', function () {
  this.timeout(30 * 60_000);
  let objects: readonly KubeObject[];
  before(async () => {
    const templates = COMPONENTS.map((name) => [`${name}.podTemplate`, fullPodTemplate(name)]);
    const deploymentAnnotations = { 'reloader.stakater.com/auto': 'true' };
    objects = await render({ ...WITH_SECRETS, deploymentAnnotations, ...Object.fromEntries(templates) });
  });

  for (const component of COMPONENTS)
    it(`is in the pods of ${component}, over that of the chart (X26)`, () => {
      const deployment = find(objects, 'Deployment', `zipjobs-${component}`);
      expect(deployment.metadata.annotations).to.deep.equal({ 'reloader.stakater.com/auto': 'true' });
      const { template } = deployment['spec'] as { template: { metadata: Fields } };
      expect(template.metadata['labels']).to.deep.include(POD_METADATA.labels);
      expect(template.metadata['annotations']).to.deep.equal(POD_METADATA.annotations);
      const pod = podOf(deployment);
      expect(pod).to.deep.include(POD_SPEC);
      expect(pod['securityContext']).to.deep.equal({
        runAsNonRoot: true,
        runAsUser: 65_532,
        runAsGroup: 65_532,
        seccompProfile: { type: 'RuntimeDefault' },
        supplementalGroups: [7],
      });
      expect(pod.containers.map(({ name }) => name)).to.deep.equal([component, 'sidecar']);
      const [own] = pod.containers;
      expect(own?.env).to.deep.include.members(POD_ENV);
      expect(own?.env?.map(({ name }) => name)).to.include('NODE_OPTIONS');
      expect(own?.['envFrom']).to.deep.equal(POD_ENV_FROM);
      expect(own).to.have.deep.nested.property('resources.limits', { cpu: 2, memory: '512Mi' });
      expect(own?.['securityContext']).to.deep.equal({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
        runAsUser: 7,
      });
      const secrets = { api: ['redis-ca'], controller: [], dashboard: ['redis-ca', 'api-token'] }[component];
      expect(pod.volumes?.map(({ name }) => name)).to.deep.equal([...secrets, 'more']);
      expect(namesOf(own?.['volumeMounts'])).to.deep.equal([...secrets, 'more']);
    });

  it('can set false, 0 and empty lists, and null removes a field (X26)', async () => {
    const securityContext = { readOnlyRootFilesystem: false, capabilities: null };
    const rendered = await render({
      'api.podTemplate.spec': {
        containers: [{ name: 'api', securityContext, resources: { limits: { cpu: 0 } } }],
        topologySpreadConstraints: [],
      },
    });
    const pod = podOf(find(rendered, 'Deployment', 'zipjobs-api'));
    const [own] = pod.containers;
    expect(own?.['securityContext']).to.deep.equal({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: false,
    });
    expect(own).to.have.nested.property('resources.limits.cpu', 0);
    expect(pod['topologySpreadConstraints']).to.deep.equal([]);
  });

  /** By what the message names, which is where the value is and what is wrong with it. */
  const refused: Readonly<Record<string, Fields>> = {
    "api/podTemplate': additional properties 'strategy'": { 'api.podTemplate.strategy': {} },
    "api/podTemplate/metadata': additional properties 'name'": { 'api.podTemplate.metadata.name': 'x' },
    "api/podTemplate/spec': additional properties 'hostNetwork'": {
      'api.podTemplate.spec.hostNetwork': true,
    },
    "controller/podTemplate/spec': additional properties 'serviceAccountName'": {
      'controller.podTemplate.spec.serviceAccountName': 'other',
    },
    "dashboard/podTemplate/spec/securityContext': additional properties 'runAsRoot'": {
      'dashboard.podTemplate.spec.securityContext.runAsRoot': true,
    },
    "api/podTemplate/spec/containers/0': additional properties 'image'": {
      'api.podTemplate.spec.containers': [{ name: 'api', image: 'other' }],
    },
    "api/podTemplate/spec/containers/0/securityContext': additional properties 'privileged'": {
      'api.podTemplate.spec.containers': [{ name: 'api', securityContext: { privileged: true } }],
    },
    "zipper/podTemplate/spec': additional properties 'volumes'": { 'zipper.podTemplate.spec.volumes': [] },
    "zipper/podTemplate/spec/containers/0/name': value must be 'zipper'": {
      'zipper.podTemplate.spec.containers': [{ name: 'sidecar' }],
    },
    "zipper/podTemplate/spec/containers/0': additional properties 'env'": {
      'zipper.podTemplate.spec.containers': [{ name: 'zipper', env: [] }],
    },
    "hooks/podTemplate': additional properties 'spec'": { 'hooks.podTemplate.spec': {} },
    'api.podTemplate contains the volume redis-ca, which the chart sets itself: choose another name': {
      ...WITH_SECRETS,
      'api.podTemplate.spec.volumes': [{ name: 'redis-ca', emptyDir: {} }],
    },
  };
  for (const [message, values] of Object.entries(refused))
    it(`is refused with a message: ${message} (X26)`, async () => {
      expect(await refusalOf(values)).to.contain(message);
    });

  for (const [component, name] of [
    ['api', 'PORT'],
    ['api', 'REDIS_URL'],
    ['controller', 'ZIPPER_POD_JSON'],
    ['controller', 'POD_NAME'],
    ['dashboard', 'DASHBOARD_URL'],
    ['dashboard', 'NODE_OPTIONS'],
  ] as const)
    it(`cannot contain the variable ${name} of ${component} (X26)`, async () => {
      const error = await refusalOf({ 'dashboard.enabled': true, ...withEnv(component, name) });
      expect(error).to.contain(
        `${component}.podTemplate contains the variable ${name}, which the chart sets itself: remove it`,
      );
    });

  it('cannot contain a variable that settings contain too (X26)', async () => {
    const own = withEnv('api', 'MAX_FILES');
    const error = await refusalOf({ 'api.settings.MAX_FILES': 5, ...own });
    expect(error).to.contain('api.podTemplate contains the variable MAX_FILES');
    expect(envOf(await render(own), 'api').get('MAX_FILES')?.value).to.equal('6');
  });

  it("is compared with the table of variables (otherwise run 'node scripts/sync-values.ts')", async () => {
    expect(await readChartFile('names')).to.equal(namesTemplate());
    expect([...CHART_SETTINGS]).to.include('ZIPPER_POD_JSON');
  });
});

describe('the objects that operators add to the release', function () {
  this.timeout(30 * 60_000);

  it('may be maps or texts, with templates (X26)', async () => {
    const objects = await render({
      extraObjects: [
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '{{ .Release.Name }}-map' } },
        'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ include "zipjobs.fullname" . }}-text\n',
      ],
    });
    for (const name of ['zipjobs-map', 'zipjobs-text']) find(objects, 'ConfigMap', name);
  });
});

describe('the service accounts of the chart', function () {
  this.timeout(30 * 60_000);

  it('may exist already, and the roles and policies then name them (X26)', async () => {
    const objects = await render({
      'dashboard.enabled': true,
      ...Object.fromEntries(COMPONENTS.map((name) => [`${name}.serviceAccountName`, 'existing'])),
    });
    const created = objects
      .filter(({ kind }) => kind === 'ServiceAccount')
      .map(({ metadata }) => metadata.name);
    expect(created).to.deep.equal(['zipjobs-test', 'zipjobs-uninstall']);
    for (const component of COMPONENTS)
      expect(podOf(find(objects, 'Deployment', `zipjobs-${component}`))['serviceAccountName']).to.equal(
        'existing',
      );
    expect(zipperPolicy(objects)).to.contain('system:serviceaccount:zipjobs-system:existing');
  });
});
