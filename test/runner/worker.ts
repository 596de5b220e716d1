/**
 * Runs the test files that its parent names, one after another, each as a separate mocha run: `worker.ts
 * SUITE [GREP]`. All files share the set-up of the suite (its cluster, its browser).
 */
import { once } from 'node:events';
import { resolve } from 'node:path';
import Mocha from 'mocha';
import type { NextFile, TestResult, WorkerReport } from './messages.ts';
import { readSuiteConfig, type SuiteConfig } from './suite-config.ts';

/**
 * The exports of a file under `require`: mocha's root hook plugins, and our own hook that prepares a process
 * before its first file.
 */
interface Plugin {
  readonly prepareProcess?: () => Promise<void>;
  readonly mochaHooks?: Mocha.RootHookObject;
  /** Runs before each file. */
  readonly mochaGlobalSetup?: (this: Mocha.Runner) => Promise<void>;
  /** Runs once, after the last file. */
  readonly mochaGlobalTeardown?: () => Promise<void>;
}

function report(message: WorkerReport): void {
  process.send?.(message);
}

async function nextFile(): Promise<string | undefined> {
  const [message] = (await once(process, 'message')) as [NextFile];
  return message.file;
}

/** A history of requests can have megabytes. */
const MOST_MESSAGE_LENGTH = 2_000;

function stateOf(runnable: Mocha.Runnable): TestResult['state'] {
  if (runnable.isPending()) return 'skipped';
  return runnable.isFailed() ? 'failed' : 'passed';
}

interface Run {
  readonly config: SuiteConfig;
  readonly plugins: readonly Plugin[];
  /** Only the tests whose title matches this regular expression. */
  readonly grep?: string | undefined;
}

async function runFile(file: string, { config, plugins, grep }: Run): Promise<void> {
  const globalSetup = plugins.map((plugin) => plugin.mochaGlobalSetup).filter((setUp) => setUp !== undefined);
  const options = { timeout: config.timeout, slow: config.slow ?? 75, forbidOnly: true, globalSetup };
  const mocha = new Mocha(options);
  if (grep !== undefined) mocha.grep(grep);
  for (const { mochaHooks } of plugins) if (mochaHooks !== undefined) mocha.rootHooks(mochaHooks);
  mocha.addFile(resolve(file));
  await mocha.loadFilesAsync();
  const tests: TestResult[] = [];
  const messages = new Map<Mocha.Runnable, string>();
  function add(runnable: Mocha.Runnable, state: TestResult['state']): void {
    const message = messages.get(runnable);
    tests.push({
      title: runnable.fullTitle(),
      state,
      milliseconds: Math.round(runnable.duration ?? 0),
      ...(message === undefined ? {} : { message }),
    });
  }
  await new Promise<void>((done) => {
    const runner = mocha.run(() => {
      // Otherwise its listeners stay in the process, and those of all files pass an unhandled rejection on to each other.
      runner.dispose();
      done();
    });
    runner.on('test end', (test) => add(test, stateOf(test)));
    runner.on('hook end', (hook) => add(hook, 'passed'));
    runner.on('fail', (failed: Mocha.Test | Mocha.Hook, error: Error) => {
      messages.set(failed, error.message.slice(0, MOST_MESSAGE_LENGTH));
      // A failed hook emits no event of its own at its end.
      if (failed.type === 'hook') add(failed, 'failed');
    });
  });
  report({ kind: 'ended', file, tests });
}

/** Without a listener, one that happens between two files would end the process. */
function printUnhandledRejections(): void {
  process.on('unhandledRejection', (reason) => console.error('Unhandled rejection:', reason));
}

async function main(suite = '', grep?: string): Promise<void> {
  printUnhandledRejections();
  const config = await readSuiteConfig(suite);
  const plugins = await Promise.all(
    (config.require ?? []).map(async (path) => (await import(resolve(path))) as Plugin),
  );
  for (const { prepareProcess } of plugins) await prepareProcess?.();
  try {
    report({ kind: 'ready' });
    for (let file = await nextFile(); file !== undefined; file = await nextFile())
      await runFile(file, { config, plugins, grep });
  } finally {
    for (const { mochaGlobalTeardown } of plugins) await mochaGlobalTeardown?.();
    // From here on only something that a test left open keeps the process running.
    process.disconnect();
  }
}

await main(...process.argv.slice(2));
