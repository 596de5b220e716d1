import type { World } from './world.ts';

/** One thing that zipjobs needs from a store, or uses if the store has it. */
export interface Check {
  readonly name: string;
  /**
   * Resolves to how the store differs from S3 in a way that zipjobs can live with, or to undefined if it does not differ.
   * @throws Error if zipjobs cannot work with what the store does
   */
  readonly run: (world: World) => Promise<string | undefined>;
}

export type Verdict = 'pass' | 'differs' | 'fails';

export interface Result {
  readonly name: string;
  readonly verdict: Verdict;
  /** How the store differs, or why the check failed. */
  readonly detail?: string;
}

/** @throws Error with this text */
export function demand(isMet: boolean, text: string): void {
  if (!isMet) throw new Error(text);
}
