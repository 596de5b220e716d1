import type { Seen } from './observations.ts';

/** A rule that was broken. */
export interface Rule {
  /**
   * fence: the order of status and store. order: jobs with the same key. verify: signatures of webhooks.
   * run: the schedule did not finish.
   */
  readonly rule:
    | 'H4'
    | 'H5'
    | 'H6'
    | 'H7'
    | 'H8'
    | 'F1'
    | 'F2'
    | 'F6'
    | 'F14'
    | 'F30'
    | 'G8'
    | 'fence'
    | 'order'
    | 'verify'
    | 'run';
  readonly text: string;
}

export interface Violation extends Rule {
  readonly uuid?: string;
}

export type SeenExchange = Extract<Seen, { kind: 'exchange' }>;
export type Sight = Extract<Seen, { kind: 'zip-job' }>;

export function isOk(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300;
}
