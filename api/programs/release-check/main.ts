/** `helm test` runs this in a pod: it checks that the Services of the release respond. */

import { startProcess } from '#runtime/process/start-process.ts';
import { systemClock } from '#runtime/time/clock.ts';
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
    return (await runChecks(checksOf(config), { config, clock: systemClock, stopping, write })) ? 0 : 1;
  },
  shutdownTimeoutMs: () => SHUTDOWN_MS,
});
