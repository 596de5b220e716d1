/** Explains each failed test and hook of a mocha run immediately after the failure. */
import { clusterDirs } from '#tools/local-cluster/cluster-dir.ts';
import { explain } from './explain.ts';
import { LIMITS } from './limits.ts';
import type { TestWindow } from './test-window.ts';

export interface FailureWatch {
  readonly hasFailed: () => boolean;
  /** Resolves when nothing more will be printed. */
  readonly finished: () => Promise<void>;
}

/** Runs between a failure and the following hooks; the types omit it. */
interface HookRunner {
  hook(name: string, done: (error?: unknown) => void): void;
}

const isOfWholeSuite = ({ title }: Mocha.Runnable): boolean => /^"(before|after) all" hook/.test(title);

/** Records when the tests and files of a run started. */
const watchTimes = (runner: Mocha.Runner): ((failed: Mocha.Runnable) => TestWindow) => {
  const files = new Map<string | undefined, number>();
  const runFrom = Date.now();
  let testFrom = runFrom;
  runner.on('suite', ({ file }) => {
    if (file !== undefined && !files.has(file)) files.set(file, Date.now());
  });
  runner.on('test', () => {
    testFrom = Date.now();
  });
  return (failed) => {
    const fileFrom = files.get(failed.file ?? failed.parent?.file) ?? runFrom;
    return { fileFrom, from: isOfWholeSuite(failed) ? fileFrom : testFrom, to: Date.now() };
  };
};

/** Hooks that clean up must wait until the failure is explained. Mocha has no public way to wait there. */
const delayHooks = (runner: Mocha.Runner, pending: () => Promise<void> | undefined): void => {
  const hooks = runner as unknown as HookRunner;
  const hook = hooks.hook.bind(runner);
  hooks.hook = (name, done) => {
    const before = pending();
    if (before === undefined) hook(name, done);
    else void before.then(() => hook(name, done));
  };
};

const print = async (title: string, window: TestWindow): Promise<void> => {
  // The last cluster is the current one: a file that starts its own also stops it.
  const dir = [...clusterDirs.open].at(-1);
  if (dir === undefined) return;
  const lines = await explain(dir, window);
  // The bar distinguishes a log line from mocha's own output.
  const shown = [`What the cluster shows about "${title}":`, ...lines].map((line) => `      | ${line}`);
  console.log(shown.join('\n'));
};

export const watchFailures = (runner: Mocha.Runner): FailureWatch => {
  const windowOf = watchTimes(runner);
  let pending: Promise<void> | undefined;
  let failures = 0;
  delayHooks(runner, () => pending);
  runner.on('fail', (failed) => {
    failures += 1;
    if (failures === LIMITS.explanations + 1) console.log('      | Further failures are not explained.');
    if (failures > LIMITS.explanations) return;
    const window = windowOf(failed);
    const previous = pending ?? Promise.resolve();
    pending = previous.then(() => print(failed.fullTitle(), window));
  });
  return { hasFailed: () => failures > 0, finished: async () => pending };
};
