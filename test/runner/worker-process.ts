import { type ChildProcess, fork } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { NextFile, TestResult, WorkerReport } from './messages.ts';

/** What became of one test file. */
export interface FileResult {
  readonly file: string;
  readonly seconds: number;
  readonly tests: readonly TestResult[];
  /** Everything that the worker printed meanwhile. */
  readonly output: string;
}

export interface WorkerOptions {
  readonly suite: string;
  /** Takes what is printed while nothing runs yet: a first start builds the local cluster's programs. */
  readonly print: (text: string) => void;
}

/**
 * Node's own cache of what it has compiled, types stripped: for the tests and for every process that they start. Without it a process
 * of ours takes twice the processor time until it is up.
 */
const COMPILE_CACHE = join(
  process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'),
  'zipjobs',
  'compile-cache',
);

/**
 * How long a process may take to tear down and end by itself. Longer than the limits of a minute that tests set: a timer that has
 * lost its race still keeps the process until it fires.
 */
const END_LIMIT_MS = 120_000;

/** One process that runs test files of one suite, one at a time. */
export class WorkerProcess {
  readonly #suite: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<string>;
  #output = '';
  #isReady = false;
  #heard: ((report: WorkerReport | undefined) => void) | undefined;

  constructor({ suite, print }: WorkerOptions) {
    this.#suite = suite;
    this.#child = fork(join(import.meta.dirname, 'worker.ts'), [suite], {
      silent: true,
      env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env },
    });
    const take = (text: string): void => {
      if (this.#isReady) this.#output += text;
      else print(text);
    };
    this.#child.stdout?.setEncoding('utf8').on('data', take);
    this.#child.stderr?.setEncoding('utf8').on('data', take);
    this.#child.on('message', (report: WorkerReport) => this.#heard?.(report));
    this.#exited = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        this.#heard?.(undefined);
        resolve(signal ?? `code ${code}`);
      });
    });
  }

  /** Waits for the suite's set-up. @throws Error when the process ends during it; what it printed says why. */
  async ready(): Promise<void> {
    const report = await this.#next();
    if (report === undefined)
      throw new Error(`the set-up of the ${this.#suite} tests ended with ${await this.#exited}`);
    this.#isReady = true;
  }

  /** Runs one file. A worker that dies meanwhile counts as a failed test; `isAlive` is false then. */
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

  /** Lets the process tear down and end by itself. @throws Error when tests left something open that keeps it. */
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
