/** The values files that users copy: charts/zipjobs/examples/. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { readClassLimits } from '#runtime/project-limits/class-settings.ts';
import { CHART, envOf, find, type KubeObject, podOf, render, type Values } from './render.ts';

const EXAMPLES = join(CHART, 'examples');
const REGISTRY: Values = { 'image.registry': 'registry.example.com/zipjobs' };

function flagsOf(...names: readonly string[]): readonly string[] {
  return names.flatMap((name) => ['--values', join(EXAMPLES, `${name}.yaml`)]);
}

function annotationsOf({ metadata }: KubeObject): Readonly<Record<string, string>> {
  return metadata.annotations ?? {};
}

describe('the example of values for a platform', function () {
  this.timeout(30 * 60_000);

  for (const name of ['eks', 'gke', 'openshift']) {
    it(`${name}.yaml is linked in docs/install/${name}.md, which the file names`, async () => {
      const page = await readFile(`docs/install/${name}.md`, 'utf8');
      expect(page).to.contain(`(../../charts/zipjobs/examples/${name}.yaml)`);
      const file = await readFile(join(EXAMPLES, `${name}.yaml`), 'utf8');
      expect(file).to.contain(`docs/install/${name}.md`);
    });

    it(`${name}.yaml publishes the API and the dashboard, and knows their addresses`, async () => {
      const objects = await render({}, flagsOf(name));
      const api = envOf(objects, 'api').get('PUBLIC_URL')?.value;
      expect(api).to.match(/^https:\/\/zips\..*example\.com$/);
      expect(envOf(objects, 'dashboard').get('DASHBOARD_API_URL')?.value).to.equal(api);
      expect(envOf(objects, 'api').get('TRUSTED_PROXIES')?.value).to.not.equal('');
    });
  }

  it('checks health on EKS at paths that respond 200, and sends requests to pods', async () => {
    const objects = await render({}, flagsOf('eks'));
    for (const [name, path] of [
      ['zipjobs-api', '/docs'],
      ['zipjobs-dashboard', '/sign-in'],
    ] as const)
      expect(annotationsOf(find(objects, 'Ingress', name))).to.include({
        'alb.ingress.kubernetes.io/healthcheck-path': path,
        'alb.ingress.kubernetes.io/target-type': 'ip',
      });
    expect(envOf(objects, 'controller').get('ZIPPER_ENV_JSON')?.value).to.contain('sts.eu-central-1');
  });

  it('checks health on GKE at paths that respond 200, behind a Gateway of the routes', async () => {
    const objects = await render({}, flagsOf('gke'));
    for (const [name, requestPath] of [
      ['zipjobs-api', '/docs'],
      ['zipjobs-dashboard', '/sign-in'],
    ] as const) {
      find(objects, 'Service', name);
      // The definition of Google requires exactly these two fields in `config`.
      expect(find(objects, 'HealthCheckPolicy', name)['spec']).to.deep.equal({
        targetRef: { group: '', kind: 'Service', name },
        default: { config: { type: 'HTTP', httpHealthCheck: { requestPath } } },
      });
      const { parentRefs } = find(objects, 'HTTPRoute', name)['spec'] as { parentRefs: unknown };
      const gateway = find(objects, 'Gateway', 'zipjobs');
      const [listener] = (gateway['spec'] as { listeners: readonly { name: string }[] }).listeners;
      expect(parentRefs).to.deep.equal([{ name: 'zipjobs', sectionName: listener?.name }]);
    }
  });

  it('has Routes on OpenShift with TLS to pods that have no fixed user', async () => {
    const objects = await render({}, flagsOf('openshift'));
    for (const component of ['api', 'dashboard']) {
      const route = find(objects, 'Route', `zipjobs-${component}`);
      expect(route['spec']).to.deep.include({ to: { kind: 'Service', name: `zipjobs-${component}` } });
      const service = find(objects, 'Service', `zipjobs-${component}`);
      const pod = podOf(find(objects, 'Deployment', `zipjobs-${component}`));
      const secret = annotationsOf(service)['service.beta.openshift.io/serving-cert-secret-name'];
      expect(JSON.stringify(pod.volumes)).to.contain(`"secretName":"${secret}"`);
      expect(pod['securityContext']).to.not.have.any.keys('runAsUser', 'runAsGroup', 'fsGroup');
    }
  });
});

/** The assumptions and formulas of docs/capacity.md. Memory in MiB. */
const SIZES = [
  { name: 'small', jobs: 5000, queued: 1000, hasHistory: false },
  { name: 'medium', jobs: 50_000, queued: 10_000, hasHistory: true },
  { name: 'large', jobs: 500_000, queued: 50_000, hasHistory: true },
] as const;

function needsOf({ jobs, queued, hasHistory }: (typeof SIZES)[number]) {
  const rate = (jobs * 0.1) / 3600;
  const stored = hasHistory ? jobs * 0.1 + jobs * 0.05 : jobs * 7;
  return {
    running: rate * 60,
    stored: stored + queued,
    controller: 100 + stored / 1024 + (rate * 3600 * 2.4) / 1024 + (queued * 2.8) / 1024,
    api: 110 + ((stored + queued) * 0.7) / 1024 + 60,
  };
}

function memoryOf(objects: readonly KubeObject[], component: string, kind: 'requests' | 'limits'): number {
  const [container] = podOf(find(objects, 'Deployment', `zipjobs-${component}`)).containers;
  const resources = container?.['resources'] as Record<typeof kind, { readonly memory: string }>;
  const [, mebibytes] = /^(\d+)Mi$/.exec(resources[kind].memory) ?? [];
  return Number(mebibytes);
}

function heapOf(objects: readonly KubeObject[], component: string): number {
  const options = envOf(objects, component).get('NODE_OPTIONS')?.value ?? '';
  return Number(/--max-old-space-size=(\d+)/.exec(options)?.[1]);
}

describe('the example of values for a number of jobs', function () {
  this.timeout(30 * 60_000);

  for (const size of SIZES) {
    const needs = needsOf(size);

    it(`${size.name}.yaml has the memory that the formulas of docs/capacity.md give`, async () => {
      const objects = await render(REGISTRY, flagsOf(size.name));
      for (const component of ['controller', 'api'] as const) {
        const request = memoryOf(objects, component, 'requests');
        expect(request, component).to.be.within(needs[component], needs[component] * 1.4);
        expect(memoryOf(objects, component, 'limits'), component).to.be.at.least(2 * request);
        expect(heapOf(objects, component), component).to.be.at.least(needs[component] - 60);
      }
    });

    it(`${size.name}.yaml runs and stores that many jobs, in one project too`, async () => {
      const objects = await render(REGISTRY, flagsOf(size.name));
      const env = envOf(objects, 'controller');
      const { standard } = readClassLimits(env.get('PROJECT_CLASSES_JSON')?.value ?? '{}');
      const slots = [
        Number(env.get('MAX_ACTIVE_JOBS')?.value ?? 100),
        Number(env.get('MAX_ACTIVE_JOBS_PER_BUCKET')?.value ?? 50),
        standard.activeJobs,
      ];
      expect(Math.min(...slots)).to.be.at.least(needs.running * 1.2);
      expect(standard.storedJobs * 0.9).to.be.at.least(needs.stored);
      expect(env.has('HISTORY_HOST')).to.equal(size.hasHistory);
    });

    it(`${size.name}.yaml goes together with the values of each platform`, async () => {
      for (const platform of ['eks', 'gke', 'openshift']) {
        const objects = await render({}, flagsOf(platform, size.name));
        expect(memoryOf(objects, 'api', 'requests')).to.be.at.least(needs.api);
        find(objects, 'Deployment', 'zipjobs-dashboard');
      }
    });

    it(`${size.name}.yaml is linked in docs/capacity.md`, async () => {
      const page = await readFile('docs/capacity.md', 'utf8');
      expect(page).to.contain(`(../charts/zipjobs/examples/${size.name}.yaml)`);
    });
  }
});
