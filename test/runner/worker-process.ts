import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { COMPILE_CACHE } from './compile-cache.ts';
import type { NextFile, TestResult, WorkerReport } from './messages.ts';

/** The result of one test file. */
export interface FileResult {
  readonly file: string;
  readonly seconds: number;
  readonly tests: readonly TestResult[];
  /** The output of the worker during the file. */
  readonly output: string;
}

export interface WorkerOptions {
  readonly suite: string;
  /** Only the tests whose title matches this regular expression. */
  readonly grep?: string | undefined;
  /** Passes all output on. */
  readonly isLive: boolean;
  /** Receives output before the first file: the first start builds the programs of the local cluster. */
  readonly print: (text: string) => void;
}

/**
 * Time limit for a process to tear down and exit. Longer than the minute that tests use as a limit: a timer
 * that lost its race still keeps the process alive until it fires.
 */
const END_LIMIT_MS = 120_000;

/** Time limit for the last output after the exit. A process that a test left behind may hold the pipes open for ever. */
const LAST_OUTPUT_LIMIT_MS = 2_000;

/** One process that runs test files of one suite, one at a time. */
export class WorkerProcess {
  readonly #suite: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<string>;
  #output = '';
  #isReady = false;
  #heard: ((report: WorkerReport | undefined) => void) | undefined;

  constructor({ suite, grep, isLive, print }: WorkerOptions) {
    this.#suite = suite;
    this.#child = fork(
      join(import.meta.dirname, 'worker.ts'),
      [suite, ...(grep === undefined ? [] : [grep])],
      {
        silent: true,
        env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env },
      },
    );
    const take = (text: string): void => {
      if (this.#isReady) this.#output += text;
      if (isLive || !this.#isReady) print(text);
    };
    this.#child.stdout?.setEncoding('utf8').on('data', take);
    this.#child.stderr?.setEncoding('utf8').on('data', take);
    this.#child.on('message', (report: WorkerReport) => this.#heard?.(report));
    this.#exited = new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      this.#child.once('exit', () => {
        timer = setTimeout(() => {
          for (const stream of [this.#child.stdout, this.#child.stderr]) stream?.destroy();
        }, LAST_OUTPUT_LIMIT_MS);
      });
      this.#child.once('close', (code, signal) => {
        clearTimeout(timer);
        this.#heard?.(undefined);
        resolve(signal ?? `code ${code}`);
      });
    });
  }

  /**
   * Waits for the set-up of the suite.
   * @throws Error with the output when the process ends during the set-up.
   */
  async ready(): Promise<void> {
    const report = await this.#next();
    if (report === undefined)
      throw new Error(`the set-up of the ${this.#suite} tests ended with ${await this.#exited}`);
    this.#isReady = true;
  }

  /** Runs one file. If the worker dies meanwhile, that counts as a failed test, and `isAlive` is false. */
  async run(file: string): Promise<FileResult> {
    const started = performance.now();
    const next: NextFile = { file };
    this.#child.send(next);
    const report = await this.#next();
    const milliseconds = performance.now() - started;
    const output = this.#output;
    this.#output = '';
    const seconds = milliseconds / 1000;
    if (report?.kind === 'ended') return { file, seconds, output, tests: report.tests };
    const title = `${file} ended its process with ${await this.#exited}`;
    return { file, seconds, output, tests: [{ title, state: 'failed', milliseconds }] };
  }

  get isAlive(): boolean {
    return this.#child.connected;
  }

  /**
   * Lets the process tear down and exit.
   * @throws Error when something that a test left open keeps it running.
   */
  async end(): Promise<void> {
    const next: NextFile = {};
    if (this.isAlive) this.#child.send(next);
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_LIMIT_MS);
    const how = await this.#exited;
    clearTimeout(timer);
    if (how !== 'code 0')
      throw new Error(
        `the process of the ${this.#suite} tests ended with ${how}. SIGKILL: a test left something open; ` +
          `it printed: ${this.#output.slice(-4_000)}`,
      );
  }

  #next(): Promise<WorkerReport | undefined> {
    return new Promise((resolve) => {
      this.#heard = (report) => {
        this.#heard = undefined;
        resolve(report);
      };
      if (!this.isAlive) this.#heard(undefined);
    });
  }
}
