/** The messages between a worker of the test runner and its parent. */

/** To a worker: run this file; without a file: exit. */
export interface NextFile {
  readonly file?: string;
}

export interface TestResult {
  /** Titles of the suites and of the test. A slow or failed hook counts as a separate test. */
  readonly title: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly milliseconds: number;
  /** Of a failed one: the message of its error, or the start of it. */
  readonly message?: string;
}

/** From a worker: its set-up is done, or a file is finished. */
export type WorkerReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'ended'; readonly file: string; readonly tests: readonly TestResult[] };
