/** `zipjobs status` and `zipjobs doctor` on a real installation, which is healthy, and then has faults of every kind. */
import { expect } from 'chai';
import { checkRelease } from '#api/programs/release-check/check-release.ts';
import { bucketResourceName } from '#crds/api-group.ts';
import type { Result } from '#runtime/doctor/finding.ts';
import { createKubeClient } from '#runtime/kube/client/client.ts';
import { accessOfKubeconfig } from '#runtime/kube/client/kubeconfig-file.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { createServerClock } from '#runtime/time/server-clock.ts';
import { runCommandLine } from '#test/support/processes/command-line.ts';
import { RELEASE, RELEASE_NAMESPACE, untilPoliciesReady } from '#test/support/processes/installation.ts';
import { until } from '#test/support/until.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';
import { createHookAccount } from '#test/support/worlds/hook-account.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { DOCTOR_FAULTS, type ExpectedResult, leaderFaults } from './doctor/faults.ts';

const NAMESPACE = 'doctor';
const UNREADY = 'doctor-unready';
const BUCKET = bucketResourceName('s3', `${NAMESPACE}-archives`);

function describeMissing(fault: ExpectedResult, results: readonly Result[]): string {
  return `${fault.title}: no ${fault.level} of ${fault.check} says ${String(fault.says)} in ${JSON.stringify(results, undefined, 1)}`;
}

/** Every fault has a result of its own that names it and what to do. */
function expectFound(faults: readonly ExpectedResult[], results: readonly Result[]): void {
  for (const fault of faults) {
    const found = results.find(
      ({ check, level, message }) =>
        check === fault.check && level === fault.level && fault.says.test(message),
    );
    expect(found, describeMissing(fault, results)).not.to.equal(undefined);
    expect(found?.remedy, fault.title).to.match(fault.remedy);
  }
}

describe('zipjobs doctor and status', function () {
  this.timeout(400_000);
  let flow: Flow;
  let isRestored = false;
  const life = new AsyncDisposableStack();
  before(async () => {
    flow = life.use(await startFlow(NAMESPACE));
  });
  after(() => life.disposeAsync());

  function kubectl(...args: readonly string[]): Promise<string> {
    return flow.cluster.kubectl(args).then(({ stdout }) => stdout);
  }
  function run(command: string, kubeconfig = flow.cluster.kubeconfigPath) {
    return runCommandLine({ kubeconfig }, [command, '-o', 'json']);
  }
  async function doctor(kubeconfig?: string) {
    const { stdout, exitCode, stderr } = await run('doctor', kubeconfig);
    expect(stdout, stderr).to.match(/^\{/);
    return { exitCode, results: (JSON.parse(stdout) as { results: readonly Result[] }).results };
  }

  it('find nothing wrong with a healthy installation (X29)', async () => {
    // The rollout of the installation may not be over.
    await until('a healthy installation', async () => (await doctor()).exitCode === 0).catch(() => undefined);
    const { exitCode, results } = await doctor();
    const bad = results.filter(({ level }) => level !== 'ok');
    // The API server of this cluster is no pod.
    expect(
      bad.map(({ check, level }) => [check, level]),
      JSON.stringify(bad),
    ).to.deep.equal([['encryption', 'note']]);
    expect(exitCode).to.equal(0);
    const status = await runCommandLine({ kubeconfig: flow.cluster.kubeconfigPath }, ['status']);
    expect(status.exitCode, status.stderr).to.equal(0);
    expect(status.stdout).to.match(/^Release: +\d+\.\d+\.\d+ in namespace zipjobs-system$/m);
    expect(status.stdout).to.match(/^Leader: +zipjobs-controller-\S+ since 20/m);
    expect(status.stdout).to.match(/^Definitions: +5 of 5 served$/m);
  });

  it('say what a user with few rights cannot check, instead of a false ok (X29)', async () => {
    const viewer = await flow.cluster.kubeconfigFor({ commonName: 'doctor-viewer' });
    const refused = await run('doctor', viewer);
    expect(refused.exitCode, refused.stderr).to.equal(3);
    expect(refused.stderr).to.contain('you may not list deployments.apps -n zipjobs-system');
    await kubectl(
      'create',
      'rolebinding',
      'doctor-viewer',
      '-n',
      RELEASE_NAMESPACE,
      '--clusterrole=view',
      '--user=doctor-viewer',
    );
    life.defer(async () => {
      await kubectl('delete', 'rolebinding', 'doctor-viewer', '-n', RELEASE_NAMESPACE);
    });
    const { exitCode, results } = await until('the binding to count', async () => {
      const { stdout } = await run('doctor', viewer);
      return stdout !== '' && doctor(viewer);
    });
    expect(exitCode).to.equal(7);
    const unknown = results.filter(({ level }) => level === 'unknown');
    expect(unknown.map(({ check }) => check)).to.include.members([
      'leader',
      'definitions',
      'policies',
      'rights',
      'jobs',
    ]);
    for (const { message, remedy } of unknown) {
      expect(message).to.match(/^Could not look: you may not (get|list|create) /);
      expect(remedy).to.contain('kubectl auth can-i');
    }
  });

  it('let helm test check the release with the rights of its account (X29)', async () => {
    await using _account = await createHookAccount(flow.cluster, 'tests');
    const token = await kubectl('create', 'token', 'zipjobs-test', '-n', RELEASE_NAMESPACE);
    const kubeconfig = await flow.cluster.kubeconfigFor({ token: token.trim() });
    const serverClock = createServerClock();
    await using kube = createKubeClient({
      access: accessOfKubeconfig({ files: [kubeconfig] }),
      requestTimeoutMs: 30_000,
      clock: serverClock,
    });
    const lines: string[] = [];
    const isWell = await checkRelease({
      config: { namespace: RELEASE_NAMESPACE, timeoutSeconds: 30, retryPauseMs: 200 },
      kube,
      version: packageJson.version,
      clock: systemClock,
      serverClock,
      stopping: new AbortController().signal,
      write: (line) => {
        lines.push(line);
      },
    });
    expect(isWell, lines.join('\n')).to.equal(true);
    const names = ['leader', 'components', 'images', 'versions', 'definitions', 'policies', 'rights'];
    expect(lines.map((line) => line.split(':', 2).join(':'))).to.deep.equal(
      names.map((name) => `ok: ${name}`),
    );
  });

  /** The remedies that doctor names. A set, such as the actions of a binding, keeps what somebody else added. */
  async function restore(): Promise<void> {
    if (isRestored) return;
    await kubectl('delete', 'validatingadmissionpolicybinding', 'zipjobs-zipper-exec', '--ignore-not-found');
    const { stdout: input } = await flow.cluster.helm(['get', 'manifest', RELEASE, '-n', RELEASE_NAMESPACE]);
    const flags = ['--server-side', '--force-conflicts', '--field-manager=helm'];
    await flow.cluster.kubectl(['apply', ...flags, '-f', '-'], { input });
    for (const component of ['api', 'controller'])
      await kubectl('rollout', 'status', '-n', RELEASE_NAMESPACE, `deployment/zipjobs-${component}`);
    await untilPoliciesReady(flow.cluster);
    isRestored = true;
  }

  it('name each of 22 planted faults with its remedy (X29)', async () => {
    const world = { cluster: flow.cluster, namespace: NAMESPACE, unready: UNREADY, bucket: BUCKET };
    const undone = life.use(new AsyncDisposableStack());
    // First, because the deletions need a controller.
    life.defer(restore);
    for (const { plant } of DOCTOR_FAULTS) {
      const undo = await plant(world);
      if (undo) undone.defer(undo);
    }
    const planted = await until(
      'every fault to be found',
      async () => {
        const found = await doctor();
        expectFound(DOCTOR_FAULTS, found.results);
        return found;
      },
      { limitMs: 90_000, intervalMs: 500 },
    );
    expect(planted.exitCode).to.equal(1);
    for (const faults of leaderFaults(world)) {
      await faults.plant();
      await until('the fault to be found', async () => {
        expectFound([faults], (await doctor()).results);
        return true;
      });
    }
  });

  it('find a healthy release again after the remedies (X29)', async () => {
    await restore();
    await until('the release to be healthy', async () => {
      const { results } = await doctor();
      return !results.some(({ level }) => level === 'failure');
    });
    const { exitCode, stderr } = await flow.cluster.helm(
      ['upgrade', RELEASE, 'charts/zipjobs', '-n', RELEASE_NAMESPACE, '--reuse-values'],
      { allowFailure: true },
    );
    expect(exitCode, stderr).to.equal(0);
  });
});
