import { expect } from 'chai';
import { readControllerConfig } from '#controller/config/config.ts';
import { testJob } from '#controller/zip-bucket/test-manifest.ts';
import { archiveJob } from '#controller/zip-job/manifest/job-manifest.ts';
import { bucket, zipJob } from './example-job.ts';
import {
  envOf,
  find,
  type KubeObject,
  type PodSpec,
  plainEnv,
  podOf,
  render,
  type Values,
} from './render.ts';

const ON_OPENSHIFT = ['--api-versions', 'security.openshift.io/v1'];

function adapt(mode: string): Values {
  return { 'global.compatibility.openshift.adaptSecurityContext': mode };
}

/** Every pod of the chart and of its controller. */
async function podsOf(values: Values, flags: readonly string[] = []): Promise<readonly PodSpec[]> {
  const history = { host: 'postgres.example.com', existingSecret: 'zipjobs-history' };
  const objects = await render({ 'history.postgres': history, ...values }, flags);
  const config = readControllerConfig(plainEnv(envOf(objects, 'controller')));
  const jobs = [archiveJob(zipJob, bucket, config), testJob(bucket, '1', config)];
  return [
    ...['api', 'controller', 'dashboard'].map((name) => find(objects, 'Deployment', `zipjobs-${name}`)),
    find(objects, 'Job', 'zipjobs-uninstall'),
    find(objects, 'Job', 'zipjobs-migrate'),
    ...(jobs as unknown as readonly KubeObject[]),
  ]
    .map(podOf)
    .concat(find(objects, 'Pod', 'zipjobs-test')['spec'] as PodSpec);
}

const IDS = { runAsUser: 65_532, runAsGroup: 65_532, fsGroup: 65_532 };
const RESTRICTED = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } };
const CONTAINER = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

describe('the security contexts of the chart', function () {
  this.timeout(30 * 60_000);

  const cases: readonly [string, Values, readonly string[], Readonly<Record<string, unknown>>][] = [
    ['contain fixed IDs elsewhere', {}, [], { ...IDS, ...RESTRICTED }],
    ['contain no IDs on OpenShift', {}, ON_OPENSHIFT, RESTRICTED],
    ['contain no IDs if the adaptation is forced', adapt('force'), [], RESTRICTED],
    [
      'contain fixed IDs if the adaptation is disabled',
      adapt('disabled'),
      ON_OPENSHIFT,
      { ...IDS, ...RESTRICTED },
    ],
  ];
  for (const [what, values, flags, expected] of cases)
    it(`${what} (X5)`, async () => {
      const pods = await podsOf({ 'dashboard.enabled': true, ...values }, flags);
      expect(pods).to.have.length(8);
      for (const pod of pods) {
        expect(pod['securityContext']).to.deep.equal(expected);
        expect(pod.containers[0]?.['securityContext']).to.deep.equal(CONTAINER);
      }
    });

  it('are values of each component, of the controller for its Jobs, and of the API for helm test (X5)', async () => {
    function own(name: string, user: number): Values {
      const containers = [{ name, securityContext: { runAsUser: user } }];
      const securityContext = { runAsUser: user, supplementalGroups: [7] };
      return { podTemplate: { spec: { securityContext, containers } } };
    }
    const [api, controller, dashboard, uninstall, migration, archive, check, test] = await podsOf({
      api: own('api', 1),
      controller: own('controller', 2),
      dashboard: { enabled: true, ...own('dashboard', 3) },
      zipper: own('zipper', 4),
    });
    for (const [pod, user] of [
      [api, 1],
      [controller, 2],
      [dashboard, 3],
      [uninstall, 2],
      [migration, 2],
      [archive, 4],
      [check, 4],
      [test, 1],
    ] as const) {
      expect(pod?.['securityContext']).to.deep.include({
        runAsUser: user,
        fsGroup: 65_532,
        supplementalGroups: [7],
      });
      expect(pod?.containers[0]?.['securityContext']).to.deep.equal({ ...CONTAINER, runAsUser: user });
    }
  });

  it('are required of zipper Jobs by the policy as the controller writes them (X5)', async () => {
    const policy = find(await render({}, ON_OPENSHIFT), 'ValidatingAdmissionPolicy', 'zipjobs-zipper-jobs');
    const { variables } = policy['spec'] as { variables: readonly { name: string; expression: string }[] };
    const fixed = variables.find(({ name }) => name === 'podFixed')?.expression;
    expect(fixed).to.contain(
      '"securityContext": dyn({"runAsNonRoot": dyn(true), "seccompProfile": dyn({"type": dyn("RuntimeDefault")})})',
    );
  });
});
