import { expect } from 'chai';
import { CHART_SETTINGS, namesTemplate, readChartFile } from '#scripts/sync-values.ts';
import { POD_FIELDS } from '#test/support/builders/pod-fields.ts';
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

function forAll(fields: Values): Values {
  return Object.fromEntries(
    COMPONENTS.flatMap((component) =>
      Object.entries(fields).map(([name, value]) => [`${component}.${name}`, value]),
    ),
  );
}

function namesOf(list: unknown): readonly unknown[] {
  return (list as readonly Fields[]).map(({ name }) => name);
}

describe('the fields that operators add to our pods', function () {
  this.timeout(30 * 60_000);
  let objects: readonly KubeObject[];
  before(async () => {
    objects = await render({ ...WITH_SECRETS, ...forAll(POD_FIELDS) });
  });

  for (const component of COMPONENTS)
    it(`are in the pods of ${component}, beside those of the chart (X26)`, () => {
      const deployment = find(objects, 'Deployment', `zipjobs-${component}`);
      expect(deployment.metadata.annotations).to.deep.equal(POD_FIELDS['deploymentAnnotations']);
      const { template } = deployment['spec'] as { template: { metadata: Fields } };
      expect(template.metadata['labels']).to.deep.include({ mesh: 'on' });
      expect(template.metadata['annotations']).to.deep.equal(POD_FIELDS['podAnnotations']);
      const pod = podOf(deployment);
      for (const field of [
        'priorityClassName',
        'runtimeClassName',
        'nodeSelector',
        'tolerations',
        'affinity',
        'topologySpreadConstraints',
        'terminationGracePeriodSeconds',
      ])
        expect(pod[field], field).to.deep.equal(POD_FIELDS[field]);
      expect(pod['initContainers']).to.deep.equal(POD_FIELDS['extraInitContainers']);
      expect(pod.containers.map(({ name }) => name)).to.deep.equal([component, 'sidecar']);
      const [own] = pod.containers;
      expect(own?.env).to.deep.include.members(POD_FIELDS['extraEnv'] as unknown[]);
      expect(own?.['envFrom']).to.deep.equal(POD_FIELDS['extraEnvFrom']);
      const secrets = component === 'controller' ? [] : ['redis-ca'];
      expect(pod.volumes?.map(({ name }) => name)).to.deep.equal([...secrets, 'more']);
      expect(namesOf(own?.['volumeMounts'])).to.deep.equal([...secrets, 'more']);
    });

  it('cannot replace the labels of the chart (X26)', async () => {
    const labels = { 'app.kubernetes.io/component': 'mine' };
    const [rendered] = (await render({ 'api.podLabels': labels })).filter(
      ({ kind }) => kind === 'Deployment',
    );
    expect(JSON.stringify(rendered)).not.to.contain('mine');
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
      const error = await refusalOf({
        'dashboard.enabled': true,
        [`${component}.extraEnv`]: [{ name, value: 'x' }],
      });
      expect(error).to.contain(
        `${component}.extraEnv contains ${name}, which the chart sets itself: remove it`,
      );
    });

  it('cannot contain a variable that settings contain too (X26)', async () => {
    const error = await refusalOf({
      'api.settings.MAX_FILES': 5,
      'api.extraEnv': [{ name: 'MAX_FILES', value: '6' }],
    });
    expect(error).to.contain('api.extraEnv contains MAX_FILES');
    const free = await render({ 'api.extraEnv': [{ name: 'MAX_FILES', value: '6' }] });
    expect(envOf(free, 'api').get('MAX_FILES')?.value).to.equal('6');
  });

  it("are compared with the table of variables (otherwise run 'node scripts/sync-values.ts')", async () => {
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
    const account = { create: false, name: 'existing' };
    const objects = await render({
      'dashboard.enabled': true,
      ...forAll({ serviceAccount: account }),
    });
    const created = objects
      .filter(({ kind }) => kind === 'ServiceAccount')
      .map(({ metadata }) => metadata.name);
    expect(created).to.deep.equal(['zipjobs-uninstall']);
    for (const component of COMPONENTS)
      expect(podOf(find(objects, 'Deployment', `zipjobs-${component}`))['serviceAccountName']).to.equal(
        'existing',
      );
    expect(zipperPolicy(objects)).to.contain('system:serviceaccount:zipjobs-system:existing');
  });

  it('must have a name if the chart does not create them (X26)', async () => {
    expect(await refusalOf({ 'api.serviceAccount.create': false })).to.contain(
      'api.serviceAccount.create is false: set api.serviceAccount.name',
    );
  });
});
