/** `helm test` runs this in a pod: it checks that the Services of the release respond, and what `zipjobs doctor` checks of a release. */

import { createKubeClient } from '#runtime/kube/client/client.ts';
import { accessOfPod } from '#runtime/kube/client/pod-identity.ts';
import { startProcess } from '#runtime/process/start-process.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { createServerClock } from '#runtime/time/server-clock.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { checkRelease } from './check-release.ts';
import { checksOf } from './checks.ts';
import { readReleaseCheckConfig } from './config.ts';
import { runChecks } from './run-checks.ts';

const SHUTDOWN_MS = 5_000;

await startProcess({
  name: 'zipjobs-release-check',
  env: process.env,
  readConfig: readReleaseCheckConfig,
  serve: async (config, _log, { stopping }) => {
    function write(line: string): void {
      process.stdout.write(`${line}\n`);
    }
    const { version } = packageJson;
    const [clock, serverClock] = [systemClock, createServerClock()];
    await using kube = createKubeClient({
      access: accessOfPod(config),
      requestTimeoutMs: config.kubeRequestTimeoutMs,
      userAgent: `zipjobs-test/${version}`,
      clock: serverClock,
    });
    // At the same time, because each repeats its checks for as long as the pod has.
    const results = await Promise.all([
      runChecks(checksOf(config), { config, clock, stopping, write }),
      checkRelease({ config, kube, version, clock, serverClock, stopping, write }),
    ]);
    return results.every((isOk) => isOk) ? 0 : 1;
  },
  shutdownTimeoutMs: () => SHUTDOWN_MS,
});
