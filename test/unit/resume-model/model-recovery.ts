/** The real recovery of a lost attempt. */
import { EXIT_CODES } from '#crds/exit-codes.ts';
import { CONTRACT_VERSION } from '#crds/zipper-contract.ts';
import type { RecoveryTask } from '#crds/zipper-task.ts';
import type { Ending } from '#test/support/builders/pod-statuses.ts';
import { exitCodeOf, toFailure } from '#zipper-image/status/failure.ts';
import { createUploadsLeft } from '#zipper-image/store/uploads-left.ts';
import { recover } from '#zipper-image/tasks/recover.ts';
import { log, STORE_SETTINGS, type ZipperDeps } from './zipper-deps.ts';

export async function runRecovery(
  { process, store }: Pick<ZipperDeps, 'process' | 'store'>,
  task: RecoveryTask,
): Promise<Ending> {
  const left = createUploadsLeft();
  let completeSent = false;
  function reported() {
    return { ...left.reported(), ...(completeSent && { completeSent }) };
  }
  const common = { contractVersion: CONTRACT_VERSION, mode: 'recover' } as const;
  process.at = `recovers ${task.uploadState}`;
  try {
    const recovered = await recover({
      task,
      store,
      settings: STORE_SETTINGS,
      log,
      stopping: process.stopping.signal,
      onAbortFailed: left.abortFailed,
      onCompleteSent: () => {
        completeSent = true;
      },
      startedMs: process.startedMs,
    });
    return { exitCode: EXIT_CODES.ok, message: { ...common, recovered, ...reported() } };
  } catch (error) {
    const failure = toFailure(error);
    return { exitCode: exitCodeOf(failure), message: { ...common, failure, ...reported() } };
  }
}
