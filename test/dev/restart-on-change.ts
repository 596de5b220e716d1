import { join } from 'node:path';
import { systemClock } from '#runtime/time/clock.ts';
import { writeChartCrds } from '#scripts/sync-crds.ts';
import { upgradeRelease } from '#test/support/processes/installation.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import type { KubeApi } from '#tools/local-cluster/kube-api.ts';
import { COMPONENTS, type Effect, effectsOf, WATCHED_FOLDERS } from './change-effects.ts';
import { createChangeQueue } from './change-queue.ts';
import { commandFailureText, doneLine, failedText, rolloutFailureText, zipperLine } from './messages.ts';
import { createRollouts } from './rollouts.ts';
import { watchFiles } from './watch-files.ts';

/** The checkout that the pods run. */
const ROOT = join(import.meta.dirname, '../..');

export interface RestartDeps {
  readonly cluster: Cluster;
  /** Signed in as cluster-admin. */
  readonly api: KubeApi;
  /** Values of the release, in addition to the local ones. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly print: (text: string) => void;
  /** Aborts when the cluster stops. Failures after that are not printed. */
  readonly signal: AbortSignal;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Upgrades the release to the chart of the checkout. Returns what failed. */
async function upgradeChart(
  { cluster, values }: RestartDeps,
  effects: ReadonlySet<Effect>,
): Promise<string | undefined> {
  try {
    if (effects.has('definitions')) await writeChartCrds();
  } catch (error) {
    return commandFailureText('Copying crds/*.yaml into the chart', messageOf(error));
  }
  const { exitCode, stderr } = await upgradeRelease(cluster, values, { allowFailure: true });
  return exitCode === 0 ? undefined : commandFailureText('helm upgrade', stderr);
}

/** Applies changed files to the release and prints the result. */
function createApply(deps: RestartDeps) {
  const rollouts = createRollouts(deps);
  return async (paths: readonly string[]): Promise<void> => {
    const startedMs = performance.now();
    const effects = new Set(paths.flatMap(effectsOf));
    const needsUpgrade = effects.has('chart') || effects.has('definitions');
    const problem = needsUpgrade ? await upgradeChart(deps, effects) : undefined;
    const isUpgraded = needsUpgrade && problem === undefined;
    // An upgrade may replace the pods of every component.
    const affected = COMPONENTS.filter((component) => isUpgraded || effects.has(component));
    const outcomes = await Promise.all(
      affected.map((one) => (effects.has(one) ? rollouts.restart(one) : rollouts.wait(one))),
    );
    const failures = outcomes.filter((outcome) => outcome !== undefined);
    const restarted = affected.filter((one, index) => effects.has(one) && outcomes[index] === undefined);
    const problems = [...(problem === undefined ? [] : [problem]), ...failures.map(rolloutFailureText)];
    const served = failures.filter(({ isServed }) => isServed).map(({ component }) => component);
    deps.signal.throwIfAborted();
    const milliseconds = performance.now() - startedMs;
    if (isUpgraded || restarted.length > 0)
      deps.print(doneLine({ paths, restarted, isUpgraded, milliseconds }));
    if (problems.length > 0) deps.print(failedText({ paths, problems, served }));
  };
}

/** Applies each changed file of the checkout to the release until it is disposed of. */
export function restartOnChange(deps: RestartDeps): AsyncDisposable {
  const { print } = deps;
  const closing = new AbortController();
  const signal = AbortSignal.any([closing.signal, deps.signal]);
  const apply = createApply({ ...deps, signal });
  const queue = createChangeQueue({
    clock: systemClock,
    apply: async (paths) => {
      function isOfZipper(path: string): boolean {
        return effectsOf(path).includes('zipper');
      }
      const [ofZipper, others] = [paths.filter(isOfZipper), paths.filter((path) => !isOfZipper(path))];
      if (ofZipper.length > 0) print(zipperLine(ofZipper));
      try {
        if (others.length > 0) await apply(others);
      } catch (error) {
        if (!signal.aborted) print(failedText({ paths: others, problems: [messageOf(error)], served: [] }));
      }
    },
  });
  const watching = watchFiles({
    root: ROOT,
    folders: WATCHED_FOLDERS,
    onChange: (path) => {
      if (effectsOf(path).length > 0) queue.add(path);
    },
  });
  return {
    [Symbol.asyncDispose]: async () => {
      watching[Symbol.dispose]();
      closing.abort();
      await queue[Symbol.asyncDispose]();
    },
  };
}
