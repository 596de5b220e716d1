import { clusterDirs } from '../../cluster/cluster-dir.ts';
import { keepLogs, removeOldResults, resultName, resultsFolder } from './keep-logs.ts';
import { LIMITS } from './limits.ts';
import { watchFailures } from './watch-failures.ts';

export interface RunWatch {
  /** A cluster that does not start leaves its logs too. */
  clusterStarted(): void;
  /** Resolves when every failure is explained. */
  finished(): Promise<void>;
}

/** From now on failed tests explain themselves, and the logs of clusters that end after a failure are kept. */
export const watchRun = async (runner: Mocha.Runner): Promise<RunWatch> => {
  const folder = resultsFolder(process.env);
  const name = resultName(runner.suite.suites[0]?.file);
  const failures = watchFailures(runner);
  let isStarting = true;
  clusterDirs.beforeRemoval = async (dir) => {
    if (!isStarting && !failures.hasFailed()) return;
    await keepLogs(dir, { folder, name }).then(console.log, (error: unknown) =>
      console.log(`The logs of the failed run were not kept: ${String(error)}`),
    );
  };
  await removeOldResults(folder, LIMITS.keptResults);
  return {
    clusterStarted: () => {
      isStarting = false;
    },
    finished: failures.finished,
  };
};
