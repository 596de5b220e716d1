import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { FileQueue } from './file-queue.ts';
import { type FileChoice, filesOf, readSuiteConfig } from './suite-config.ts';
import { type FileResult, WorkerProcess } from './worker-process.ts';

export interface RunOptions extends FileChoice {
  readonly suites: readonly string[];
  /** Number of parallel processes. */
  readonly slots: number;
  /** Only the tests whose title matches this regular expression. */
  readonly grep?: string | undefined;
  /** Prints the output of the tests at once, and not only that of a set-up. */
  readonly isLive: boolean;
  readonly expectedSeconds: Readonly<Record<string, number>>;
  readonly print: (text: string) => void;
  /** Receives each result and the number of files that are left. */
  readonly onFile: (result: FileResult, left: number) => void;
}

/**
 * A machine that is busier than this (load of the last minute for each processor) starts no file while two run: it would finish none
 * of them earlier, and responses would arrive after the time limits of the tests.
 */
const MOST_LOAD = 5;
const FILES_IN_ANY_CASE = 2;
const CALM_POLL_MS = 5_000;

/** Seconds until a process runs its first test; a suite with its own cluster takes longest. */
const SET_UP_SECONDS = { unit: 3, other: 15 };

/**
 * Processes of a suite that occupies the processors, while the others mostly wait. With four of them on two processors, no API server
 * responds within the time limits of the tests.
 */
const MOST_PROCESSES: Readonly<Record<string, number>> = {
  chaos: Math.max(1, Math.floor(availableParallelism() / 2)),
};

/**
 * Runs the files of all named suites, each suite in as many processes as save more time than their set-up
 * takes.
 * @returns Problems outside the tests: a set-up that failed, a process that did not end.
 */
export async function runSuites(options: RunOptions): Promise<readonly string[]> {
  const { suites, slots, grep, isLive, expectedSeconds, print, onFile } = options;
  const files = await Promise.all(
    suites.map(async (suite) =>
      (await filesOf(await readSuiteConfig(suite), options)).map((file) => ({ suite, file })),
    ),
  );
  const queue = new FileQueue(files.flat(), (file) => expectedSeconds[file]);
  const active = new Map<string, number>(suites.map((suite) => [suite, 0]));
  const broken = new Set<string>();
  const problems: string[] = [];

  let running = 0;
  function isTooBusy(): boolean {
    return running >= FILES_IN_ANY_CASE && (loadavg()[0] ?? 0) > MOST_LOAD * availableParallelism();
  }
  /** The next file of a suite, as soon as the machine is not too busy for it. A process without one ends at once. */
  async function next(suite: string): Promise<string | undefined> {
    while (queue.has(suite) && isTooBusy()) await delay(CALM_POLL_MS);
    return queue.take(suite);
  }

  /** Seconds per process of a suite if it had one process more. */
  function share(suite: string): number {
    return queue.secondsLeft(suite) / ((active.get(suite) ?? 0) + 1);
  }
  function pick(): string | undefined {
    const worthwhile = suites.filter((suite) => {
      if (broken.has(suite) || !queue.has(suite)) return false;
      if ((active.get(suite) ?? 0) >= (MOST_PROCESSES[suite] ?? slots)) return false;
      const setUp = suite === 'unit' ? SET_UP_SECONDS.unit : SET_UP_SECONDS.other;
      return active.get(suite) === 0 || share(suite) > setUp;
    });
    return worthwhile.sort((a, b) => share(b) - share(a))[0];
  }

  async function serve(suite: string): Promise<void> {
    const worker = new WorkerProcess({ suite, grep, isLive, print });
    await worker.ready().catch((error: unknown) => {
      broken.add(suite);
      throw error;
    });
    for (let file = await next(suite); file !== undefined; file = await next(suite)) {
      running += 1;
      const result = await worker.run(file).finally(() => {
        running -= 1;
      });
      onFile(result, queue.left);
      if (!worker.isAlive) return;
    }
    await worker.end();
  }

  async function fillSlot(): Promise<void> {
    for (let suite = pick(); suite !== undefined; suite = pick()) {
      active.set(suite, (active.get(suite) ?? 0) + 1);
      await serve(suite).catch((error: unknown) => {
        problems.push(error instanceof Error ? error.message : String(error));
      });
      active.set(suite, (active.get(suite) ?? 1) - 1);
    }
  }
  await Promise.all(Array.from({ length: slots }, fillSlot));
  return queue.left === 0 ? problems : [...problems, `${queue.left} test files were not run`];
}
