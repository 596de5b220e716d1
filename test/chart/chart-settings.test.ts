import { expect } from 'chai';
import { readControllerConfig } from '#controller/config/config.ts';
import { archiveJob } from '#controller/zip-job/manifest/job-manifest.ts';
import { HISTORY_SETTINGS } from '#runtime/history/settings.ts';
import { CHART_SETTINGS, PROCESSES, readChartFile } from '#scripts/sync-values.ts';
import { bucket, zipJob } from './example-job.ts';
import { envOf, type KubeObject, plainEnv, podOf, render } from './render.ts';

const PROXY = { url: 'http://proxy.example.com', credentialSecretRef: 'proxy', noProxy: ['10.0.0.0/8'] };

/** Values under which the chart sets every variable that it can set. */
const EVERYTHING = {
  proxy: { sources: PROXY, stores: PROXY, webhooks: PROXY },
  trustBundle: { configMapKeyRef: { name: 'authorities' } },
  trustedProxies: ['10.0.0.0/8'],
  redis: { url: 'rediss://redis.example.com', existingSecret: 'redis', caSecret: 'redis-ca' },
  dashboard: {
    enabled: true,
    url: 'https://zipjobs.example.com',
    oidc: {
      issuer: 'https://id.example.com',
      clientId: 'zipjobs',
      clientSecret: 'oidc',
      caSecret: 'oidc-ca',
    },
  },
};
/** Settings that the chart copies to the API, and their values there. */
const COPIED = {
  controller: {
    settings: {
      ACTIVE_DEADLINE_SECONDS: 3_600,
      SUCCEEDED_TTL_SECONDS: 86_400,
      FAILED_TTL_SECONDS: 172_800,
      WEBHOOK_SCHEDULE_SECONDS: '0,60',
    },
  },
};
/** The chart always has a value for these, which `settings` may replace. */
const REPLACEABLE = ['DASHBOARD_API_ADMIN_URL'];
const DEPLOYED = ['api', 'controller', 'dashboard'] as const;

describe('the variables that the chart sets', function () {
  this.timeout(30 * 60_000);
  let objects: readonly KubeObject[];
  let allowed: Readonly<Record<string, { readonly properties: Readonly<Record<string, unknown>> }>>;
  before(async () => {
    objects = await render(EVERYTHING);
    ({ definitions: allowed } = JSON.parse(await readChartFile('schema')) as { definitions: typeof allowed });
  });

  function expectRefused(process: keyof typeof PROCESSES, names: readonly string[]): void {
    const known = new Set(Object.values(PROCESSES[process]).map(({ env }) => env));
    const own = names.filter((name) => known.has(name) && !REPLACEABLE.includes(name));
    expect(own).to.have.length.above(5);
    for (const name of own) {
      expect(allowed[`${process}Settings`]?.properties, name).not.to.have.property(name);
      expect(CHART_SETTINGS.has(name), name).to.equal(true);
    }
  }

  for (const component of DEPLOYED)
    it(`are refused in ${component}.settings (X7)`, () => {
      expectRefused(component, [...envOf(objects, component).keys()]);
    });

  it('are refused in zipper.settings, those of the controller included (X7)', () => {
    const config = readControllerConfig(plainEnv(envOf(objects, 'controller')));
    const [container] = podOf(archiveJob(zipJob, bucket, config) as unknown as KubeObject).containers;
    expectRefused('zipper', [
      ...(container?.env ?? []).map(({ name }) => name),
      ...Object.keys(config.zipperEnv),
    ]);
  });

  it('include the limits and times of jobs and webhooks, so that the API reference contains those in force (BC25)', async () => {
    const env = plainEnv(envOf(await render(COPIED), 'api'));
    expect(env).to.include({
      JOB_MAX_SECONDS: '3600',
      JOB_SUCCEEDED_TTL_SECONDS: '86400',
      JOB_FAILED_TTL_SECONDS: '172800',
      JOB_WEBHOOK_SCHEDULE_SECONDS: '0,60',
    });
  });

  it('are all settings of a process (X7)', () => {
    const known = [...Object.values(PROCESSES), HISTORY_SETTINGS].flatMap((settings) =>
      Object.values(settings).map(({ env }) => env),
    );
    expect(known).to.include.members([...CHART_SETTINGS]);
  });
});
