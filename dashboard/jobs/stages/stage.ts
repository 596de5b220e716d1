/**
 * waiting: not reached yet. stopped: ended from outside, so neither done nor failed. skipped: the job ended before it, or did not
 * need it.
 */
export type StageState = 'waiting' | 'running' | 'done' | 'failed' | 'stopped' | 'skipped';

/** A part of a job's run, like a step of a CI run. A time that nobody recorded is absent. */
export interface Stage {
  readonly name: string;
  readonly state: StageState;
  /** RFC 3339. */
  readonly start?: string;
  /** RFC 3339. */
  readonly end?: string;
  /** How much of a running stage is done, 0 to 100. */
  readonly percent?: number;
  /** How much of it earlier attempts had done, 0 to 100. */
  readonly keptPercent?: number;
  /** RFC 3339: when a running stage will probably end. */
  readonly expectedEnd?: string;
  /** It ended at some time before `end`. */
  readonly endsEarlier?: true;
  readonly detail?: string;
  /** What of the upload of an earlier attempt it kept. */
  readonly kept?: string;
  /** The parts of this stage. */
  readonly parts?: readonly Stage[];
}
