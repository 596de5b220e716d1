/** What a run prints and keeps when a test or a hook fails on a cluster. */
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { maskLines } from '#cli/sysdump/mask-text.ts';
import { removeUrls } from '#runtime/log/redact.ts';
import { clusterDirs } from '#tools/local-cluster/cluster-dir.ts';

/** Of one file: if more tests fail, they usually fail for the same reason. */
const MOST_EXPLANATIONS = 3;
/** Nine processes of kubectl, each of which needs seconds on a busy machine. */
const MOST_SECONDS = 20;
const MOST_LINES = 450;
const MOST_CHARACTERS = 400;
/** Of a program's output, also of the end of a log that is kept. */
const MOST_BYTES = 8 * 1024 * 1024;
const MOST_LOG_LINES = '5000';
/** Of one cluster, the newest first. */
const MOST_LOGS = 200;
const MOST_RESULTS = 5;

/** Lines that a program prints, without secrets. A URL may be a credential, path included. */
function linesOf(program: string, ...args: readonly string[]): readonly string[] {
  const { stdout } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: MOST_BYTES });
  // The last line of a stopped program may end with half a secret, which no pattern matches.
  return removeUrls(maskLines(stdout.slice(0, stdout.lastIndexOf('\n') + 1)))
    .split('\n')
    .slice(0, -1);
}

/** Describes what was created on the cluster in this folder since then (milliseconds since 1970). */
export function explain(dir: string, since: number, seconds = MOST_SECONDS): readonly string[] {
  // Kubernetes truncates times to whole seconds.
  const time = new Date(since - 1000).toISOString().replace(/\.\d+/, '');
  const script = join(import.meta.dirname, 'describe-cluster.sh');
  // Stops kubectl too.
  const all = linesOf('timeout', '--signal=KILL', String(seconds), script, dir, time);
  const more = all.length > MOST_LINES ? [`... ${all.length - MOST_LINES} more lines`] : [];
  return [...all.slice(0, MOST_LINES), ...more].map((line) => line.slice(0, MOST_CHARACTERS));
}

/** Copies the logs of a cluster to a folder of the run, `<suite>-<pid>`, and removes the oldest of these. Returns the folder. */
export function keepLogs(
  dir: string,
  suite: string,
  results = resolve(process.env['ZIPJOBS_TEST_RESULTS'] || 'test-results'),
): string {
  const folder = join(results, `${suite}-${process.pid}`, basename(dir));
  // Another process may remove the same folder.
  function changedAt(path: string): number {
    return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  }
  const logs = globSync('{logs,pods/*}/*.log', { cwd: dir, withFileTypes: true })
    // Pods can mount links to keys.
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort((a, b) => changedAt(b) - changedAt(a))
    .slice(0, MOST_LOGS);
  for (const log of logs) {
    const copy = join(folder, relative(dir, log));
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, linesOf('tail', '-n', MOST_LOG_LINES, log).join('\n'));
  }
  const runs = readdirSync(results)
    .filter((name) => /^[a-z]+-\d+$/.test(name))
    .map((name) => join(results, name));
  for (const old of runs.sort((a, b) => changedAt(b) - changedAt(a)).slice(MOST_RESULTS))
    rmSync(old, { recursive: true, force: true, maxRetries: 3 });
  return folder;
}

/** From now on, the logs of a cluster are kept before its folder is removed. */
export function keepLogsOf(suite: string): void {
  clusterDirs.beforeRemoval = async (dir) => {
    try {
      console.log(`Logs of the failed run: ${keepLogs(dir, suite)}`);
    } catch (error) {
      console.log(`The logs of the failed run were not kept: ${String(error)}`);
    }
  };
}

/** Explains failed tests and hooks. It blocks this process, so that hooks that clean up wait. */
export function watchFailures(runner: Mocha.Runner, print: (text: string) => void = console.log): void {
  let file: string | undefined;
  let since = Date.now();
  let failures = 0;
  runner.on('suite', (suite) => {
    if (suite.file !== file) [file, since, failures] = [suite.file, Date.now(), 0];
  });
  runner.on('fail', (failed) => {
    keepLogsOf(/^.*\/test\/([^/]+)\//.exec(file ?? '')?.[1] ?? 'tests');
    failures += 1;
    // The last cluster is the current one: a file that starts its own also stops it.
    const dir = [...clusterDirs.open].at(-1);
    if (dir === undefined || failures > MOST_EXPLANATIONS) return;
    const lines = [`What the cluster shows about "${failed.fullTitle()}":`, ...explain(dir, since)];
    // The bar distinguishes them from mocha's own output.
    print(lines.map((line) => `      | ${line}`).join('\n'));
  });
}
