import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { readApiConfig } from '#api/config.ts';
import { readControllerConfig } from '#controller/config/config.ts';
import { archiveJob } from '#controller/zip-job/manifest/job-manifest.ts';
import { withLeastMemory } from '#controller/zip-job/policies/archive-size.ts';
import { readDashboardConfig } from '#dashboard/config.ts';
import { PROCESSES, readChartFile, withSettings, withTables } from '#scripts/sync-values.ts';
import { readPodConfig, withTaskSettings } from '#zipper-image/config.ts';
import { bucket, zipJob } from './example-job.ts';
import { helm } from './helm-session.ts';
import { CHART, envOf, find, type KubeObject, plainEnv, podOf, refusalOf, render } from './render.ts';

const LOOPBACK = {
  egress: { allowCidrs: ['127.0.0.0/8'], denyCidrs: ['10.0.0.0/8'], clusterCidrs: ['34.118.224.0/20'] },
  webhooks: { allowHttp: true },
  store: {
    allowHttp: true,
    allowCidrs: ['10.96.7.0/24'],
    allowedHosts: ['127.0.0.1:7070', 'minio.example.com'],
  },
};

function zipperEnv(objects: readonly KubeObject[]): Record<string, string> {
  return JSON.parse(envOf(objects, 'controller').get('ZIPPER_ENV_JSON')?.value ?? '{}') as Record<
    string,
    string
  >;
}

describe('the values of the chart', function () {
  this.timeout(30 * 60_000);
  let objects: readonly KubeObject[];
  before(async () => {
    objects = await render({ 'dashboard.enabled': true });
  });

  it('pass helm lint, by default and for a cluster on loopback', async () => {
    const values = ['--set-json', `egress=${JSON.stringify(LOOPBACK.egress)}`];
    for (const flags of [[], values])
      expect(await helm(['lint', '--strict', CHART, ...flags])).to.contain('0 chart(s) failed');
  });

  it('request the memory for a zipper that its buffers need (G15)', () => {
    const controller = readControllerConfig(plainEnv(envOf(objects, 'controller')));
    const { zipperResources } = controller;
    expect(zipperResources.requests).to.include({ memory: '256Mi' });
    expect(withLeastMemory(zipperResources, controller.taskSettings)).to.deep.equal(zipperResources);
  });

  it('must name a registry, unless the chart is from a release (X2)', async () => {
    const error = await refusalOf({ 'image.registry': '' });
    expect(error).to.contain('image.registry is not set').and.to.contain('scripts/build-images');
  });

  const refused: Readonly<Record<string, Record<string, unknown>>> = {
    'an unknown value': { colour: 'red' },
    'an unknown value of a component': { 'api.colour': 'red' },
    'an unknown value of a folder': { 'api.ingress.colour': 'red' },
    'an unknown setting': { 'controller.settings.WORKRES': 3 },
    'a setting below its least': { 'controller.settings.WORKERS': 0 },
    'a priority of the system': { 'zipper.recovery.priorityClass.value': 2_000_000_000 },
    'a setting of another type': { 'zipper.settings.STORE_BUFFER_BYTES': 'many' },
    'a setting that the chart sets itself': { 'api.settings.PORT': 1 },
    'a setting of the dashboard for the API': { 'api.settings.DASHBOARD_IDLE_MS': 5_000 },
    'an unknown limit of a class': { 'projectClasses.large': { speed: 5 } },
    'an unknown option that a class closes (C3)': { 'projectClasses.large.closedOptions': ['speed'] },
    'a limit of a class below its least': { 'projectClasses.default.storedJobs': 0 },
    'a class whose name is no value of a label': { projectClasses: { 'a b': {} } },
    'an image that could end a policy expression': { 'zipper.image.repository': "a' || true || '" },
    'a user that could end a policy expression': { 'policies.jobControllerUser': "a' || true || '" },
    'a field that could end a policy expression': { 'policies.zipperJobs.pod': ['a"] || true || ["'] },
    'a service account that could end a policy expression': { 'api.serviceAccountName': "a' || true || '" },
  };
  for (const [what, values] of Object.entries(refused))
    it(`refuse ${what}`, async () => {
      expect(await refusalOf(values)).to.contain("values don't meet the specifications of the schema");
    });

  it("describe every setting of the processes in the schema (otherwise run 'node scripts/sync-values.ts')", async () => {
    const schema = JSON.parse(await readChartFile('schema')) as Parameters<typeof withSettings>[0];
    expect(schema).to.deep.equal(withSettings(schema));
  });

  it("are in the tables of the README (otherwise run 'node scripts/sync-values.ts')", async () => {
    function squeeze(text: string): string {
      return text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---');
    }
    const readme = await readChartFile('readme');
    expect(squeeze(readme)).to.equal(squeeze(await withTables(readme)));
  });

  for (const component of ['api', 'controller', 'dashboard'] as const)
    it(`give the ${component} only variables that are its settings, and all required ones`, () => {
      const known = Object.values(PROCESSES[component]);
      const env = envOf(objects, component);
      const settings = [...env.keys()].filter((name) => name !== 'NODE_OPTIONS');
      expect(known.map((setting) => setting.env)).to.include.members(settings);
      const needed = known.filter((setting) => setting.default === undefined).map((setting) => setting.env);
      expect([...env.keys()]).to.include.members(needed);
    });

  it('give the zipper only variables that are its settings', () => {
    const known = Object.values(PROCESSES.zipper).map((setting) => setting.env);
    expect(known).to.include.members(Object.keys(zipperEnv(objects)));
  });

  it('name the resources and grace periods that are in the templates, as docs/install.md does', async () => {
    const controller = readControllerConfig(plainEnv(envOf(objects, 'controller')));
    const servers = ['api', 'controller', 'dashboard'].map((name) => {
      const { containers, terminationGracePeriodSeconds } = podOf(
        find(objects, 'Deployment', `zipjobs-${name}`),
      );
      return [name, containers[0]?.['resources'], `${String(terminationGracePeriodSeconds)} s`] as const;
    });
    const values = (await readFile(`${CHART}/values.yaml`, 'utf8')).replaceAll(/\s+(# )?/g, ' ');
    const docs = await readFile('docs/install.md', 'utf8');
    for (const [name, resources, grace] of [
      ...servers,
      ['zipper', controller.zipperResources, `${controller.zipperGraceSeconds} s`],
      ['zipper.recovery', controller.recoveryResources, ''],
    ] as const) {
      const { requests, limits } = resources as Readonly<Record<string, Readonly<Record<string, string>>>>;
      const names = ['cpu', 'memory', 'ephemeral-storage'];
      const ranges = names.map((one) => `${one} ${requests?.[one]} to ${limits?.[one]}`).join(', ');
      expect(values, name).to.contain(ranges);
      const cells = [requests, limits].map((all) => names.map((one) => all?.[one]).join(', '));
      expect(docs).to.contain(`| \`${name}\` | ${cells.join(' | ')} | ${grace}`.trimEnd());
    }
  });

  it('reach the processes unchanged', async () => {
    const rendered = await render({
      ...LOOPBACK,
      'controller.settings.WORKERS': 7,
      'dashboard.enabled': true,
      'dashboard.settings': { DASHBOARD_IDLE_MS: 60_000 },
      trustedProxies: ['10.0.0.0/8', 'fd00::/8'],
      'projectClasses.default.activeJobs': 7,
      'projectClasses.large': { storedBytes: 10_737_418_240 },
      'zipper.settings': { SOURCE_CONCURRENCY: 5, STORE_BUFFER_BYTES: 161_061_273 },
      'zipper.recovery.resources.limits.memory': '192Mi',
      'zipper.podTemplate.spec': {
        nodeSelector: { disk: 'fast' },
        tolerations: [{ key: 'spot', operator: 'Exists' }],
        priorityClassName: 'high',
        terminationGracePeriodSeconds: 31,
        containers: [{ name: 'zipper', resources: { limits: { memory: '1Gi' } } }],
      },
    });
    const api = readApiConfig(plainEnv(envOf(rendered, 'api')));
    expect(api.egressAllowCidrs).to.deep.equal(['127.0.0.0/8']);
    expect(api.trustedProxies).to.deep.equal(['10.0.0.0/8', 'fd00::/8']);
    const dashboard = readDashboardConfig(plainEnv(envOf(rendered, 'dashboard')));
    expect(dashboard).to.deep.include({ dashboardIdleMs: 60_000, trustedProxies: api.trustedProxies });
    expect(dashboard).to.deep.include({
      storeAllowHttp: true,
      storeAllowedHosts: LOOPBACK.store.allowedHosts,
    });
    const controller = readControllerConfig(plainEnv(envOf(rendered, 'controller')));
    expect(controller).to.deep.include({ workers: 7, webhookAllowHttp: true });
    for (const { classes } of [api, controller]) {
      expect(classes.standard).to.include({ activeJobs: 7, storedJobs: 40_000 });
      expect(classes.byName.get('large')).to.include({ activeJobs: 7, storedBytes: 10_737_418_240 });
    }
    expect(controller.egressDenyCidrs).to.deep.equal(['10.0.0.0/8']);
    expect(controller.egressClusterCidrs).to.deep.equal(['34.118.224.0/20']);
    expect(controller.storeAllowCidrs).to.deep.equal(['10.96.7.0/24']);
    expect(controller).to.include({ zipperGraceSeconds: 31, zipperPriorityClassName: 'high' });
    expect(controller.zipperResources.limits).to.include({ memory: '1Gi', cpu: '2' });
    expect(controller.recoveryResources.limits).to.include({ memory: '192Mi', cpu: '500m' });
    expect(controller.zipperPod.spec).to.deep.include({
      nodeSelector: { 'kubernetes.io/os': 'linux', disk: 'fast' },
      tolerations: [{ key: 'spot', operator: 'Exists' }],
    });
    const pod = readPodConfig({ ...controller.zipperEnv, POD_UID: 'u' });
    const zipper = withTaskSettings(pod, controller.taskSettings);
    expect(zipper).to.deep.include({
      sourceConcurrency: 5,
      storeBufferBytes: 161_061_273,
      storeAllowHttp: true,
      storeAllowedHosts: ['127.0.0.1:7070', 'minio.example.com'],
      storeAllowCidrs: ['10.96.7.0/24'],
      egressAllowCidrs: ['127.0.0.0/8'],
      egressDenyCidrs: ['10.0.0.0/8'],
      egressClusterCidrs: ['34.118.224.0/20'],
    });
  });

  it('accept quantities as numbers and as text (X8)', async () => {
    const numbers = { requests: { cpu: 0.5 }, limits: { cpu: 2, memory: 536_870_912 } };
    const objects = await render({
      'dashboard.enabled': true,
      ...Object.fromEntries(
        ['api', 'controller', 'dashboard', 'zipper'].map((name) => [
          `${name}.podTemplate.spec.containers`,
          [{ name, resources: numbers }],
        ]),
      ),
      'zipper.recovery.resources': numbers,
    });
    for (const component of ['api', 'controller', 'dashboard']) {
      const [container] = podOf(find(objects, 'Deployment', `zipjobs-${component}`)).containers;
      expect(container?.['resources']).to.deep.nested.include({
        'limits.cpu': 2,
        'limits.memory': 536_870_912,
      });
    }
    const config = readControllerConfig(plainEnv(envOf(objects, 'controller')));
    const [zipper] = podOf(archiveJob(zipJob, bucket, config) as unknown as KubeObject).containers;
    expect(zipper?.['resources']).to.deep.nested.include({ 'requests.cpu': '0.5', 'limits.cpu': '2' });
    expect(config.recoveryResources.limits).to.include({ cpu: 2 });
  });

  it('open the ranges of stores for no source and no webhook (N4)', async () => {
    const range = '10.96.7.0/24';
    const rendered = await render({ 'dashboard.enabled': true, 'store.allowCidrs': [range] });
    const holders = rendered.filter((object) => JSON.stringify(object).includes(range));
    expect(holders.map(({ kind, metadata: { name } }) => `${kind} ${name}`)).to.deep.equal([
      'Deployment zipjobs-controller',
      // Requires that zippers get it unchanged.
      'ValidatingAdmissionPolicy zipjobs-zipper-jobs',
    ]);
    const env = plainEnv(envOf(rendered, 'controller'));
    function namesOf(given: Readonly<Record<string, string>>): readonly string[] {
      return Object.keys(given).filter((name) => given[name]?.includes(range));
    }
    // The controller writes the NetworkPolicies of zippers.
    expect(namesOf(env)).to.deep.equal(['STORE_ALLOW_CIDRS', 'ZIPPER_ENV_JSON']);
    expect(namesOf(zipperEnv(rendered))).to.deep.equal(['STORE_ALLOW_CIDRS']);
  });

  it("keep the processes' own defaults, except where the chart knows better ones", () => {
    const controller = readControllerConfig(plainEnv(envOf(objects, 'controller')));
    const bare = readControllerConfig({ POD_NAME: 'p', POD_NAMESPACE: 'n', ZIPPER_IMAGE: 'i' });
    const {
      zipperEnv: _env,
      zipperEnvJson: _json,
      zipperResourcesJson: _resources,
      zipperPodJson: _pod,
      ...others
    } = bare;
    // The class `default` has the same limits, and so have the processes without the chart.
    const { projectClassesJson: _classesJson, classes, ...rest } = others;
    expect(controller.classes.standard).to.deep.equal(classes.standard);
    const ofChart = ['recoveryResourcesJson', 'recoveryPriorityClassName'] as const;
    for (const name of ['host', 'podName', 'podNamespace', 'zipperImage', ...ofChart] as const)
      delete (rest as Partial<typeof rest>)[name];
    expect(controller).to.deep.include(rest);
  });
});
