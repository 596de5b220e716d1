import { clusterDirs } from '#tools/local-cluster/cluster-dir.ts';
import { keepLogs, removeOldResults, resultName, resultsFolder } from './keep-logs.ts';
import { LIMITS } from './limits.ts';
import { type FailureWatch, watchFailures } from './watch-failures.ts';

/** State of a process that runs tests, possibly several runs one after another on one cluster. */
export interface RunWatch {
  /** From now on failed tests of this run are explained. */
  watch(runner: Mocha.Runner): void;
  /** The logs of a cluster that does not start are kept too. */
  clusterStarted(): void;
  /** Resolves when every failure is explained. */
  finished(): Promise<void>;
}

/** Keeps the logs of clusters that are stopped after a failure, and removes those of earlier runs. */
export const watchRuns = async (): Promise<RunWatch> => {
  const folder = resultsFolder(process.env);
  const runs: FailureWatch[] = [];
  let isStarting = true;
  let firstFile: string | undefined;
  clusterDirs.beforeRemoval = async (dir) => {
    if (!isStarting && !runs.some((run) => run.hasFailed())) return;
    await keepLogs(dir, { folder, name: resultName(firstFile) }).then(console.log, (error: unknown) =>
      console.log(`The logs of the failed run were not kept: ${String(error)}`),
    );
  };
  await removeOldResults(folder, LIMITS.keptResults);
  return {
    watch: (runner) => {
      firstFile ??= runner.suite.suites[0]?.file;
      runs.push(watchFailures(runner));
    },
    clusterStarted: () => {
      isStarting = false;
    },
    finished: async () => {
      for (const run of runs) await run.finished();
    },
  };
};
