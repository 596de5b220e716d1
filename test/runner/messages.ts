/** What a worker of the test runner and its parent say to each other. */

/** To a worker: run this file; without one, end. */
export interface NextFile {
  readonly file?: string;
}

export interface TestResult {
  /** Titles of the suites and of the test. A hook that takes long or fails counts as a test of its own. */
  readonly title: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly milliseconds: number;
}

/** From a worker: its set-up is done, or a file has ended. */
export type WorkerReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'ended'; readonly file: string; readonly tests: readonly TestResult[] };
