import { RELEASE_CHECKS, runDoctor } from '#runtime/doctor/doctor.ts';
import { findRelease } from '#runtime/doctor/find-release.ts';
import { failure, type Result } from '#runtime/doctor/finding.ts';
import { createReader } from '#runtime/doctor/reader.ts';
import { toError } from '#runtime/errors.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { type Clock, pause } from '#runtime/time/clock.ts';
import type { ServerClock } from '#runtime/time/server-clock.ts';
import type { ReleaseCheckConfig } from './config.ts';

export interface CheckReleaseDeps {
  readonly config: Pick<ReleaseCheckConfig, 'namespace' | 'timeoutSeconds' | 'retryPauseMs'>;
  readonly kube: KubeClient;
  readonly version: string;
  readonly clock: Clock;
  readonly serverClock: ServerClock;
  /** Aborted by a signal to the process. */
  readonly stopping: AbortSignal;
  /** Receives one line per result. */
  readonly write: (line: string) => void;
}

async function resultsOf(deps: CheckReleaseDeps): Promise<readonly Result[]> {
  const { config, kube, version, clock, serverClock, stopping } = deps;
  try {
    const reader = createReader(kube, stopping);
    const release = await findRelease(reader, config.namespace);
    if (release) return await runDoctor(RELEASE_CHECKS, { reader, release, version, clock, serverClock });
    return [{ check: 'release', ...failure('No Deployment of the release exists', 'helm upgrade') }];
  } catch (error) {
    const remedy = `See whether the pod reaches the API server: networkPolicies.apiServerCidrs`;
    return [{ check: 'release', ...failure(`Cannot read the release: ${toError(error).message}`, remedy) }];
  }
}

/** What could not be read is a failure here: the role of the test permits it. */
function hasFailed({ level }: Result): boolean {
  return level === 'failure' || level === 'unknown';
}

function lineOf(result: Result): string {
  const { check, level, message, remedy } = result;
  const word = hasFailed(result) ? 'failed' : level;
  return `${word}: ${check}: ${message}.${remedy === undefined ? '' : ` ${remedy}`}`;
}

/** Runs the checks of `zipjobs doctor` that concern the release, until none fails or the time is over. */
export async function checkRelease(deps: CheckReleaseDeps): Promise<boolean> {
  const { config, clock, stopping, write } = deps;
  const end = clock.monotonicMs() + config.timeoutSeconds * 1000;
  for (;;) {
    const results = await resultsOf(deps);
    const isLast = clock.monotonicMs() + config.retryPauseMs > end;
    if (!results.some(hasFailed) || isLast || !(await pause(clock, config.retryPauseMs, stopping))) {
      for (const result of results) write(lineOf(result));
      return !results.some(hasFailed);
    }
  }
}
