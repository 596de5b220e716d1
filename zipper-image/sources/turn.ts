import type { OriginReport } from './origin-report.ts';
import type { SourceFaultError } from './source-error.ts';

/** Permission for one request. */
export interface Turn {
  /** True once a head was reported. */
  readonly hasResponded: boolean;
  /** True if the response throttles because of other requests, so that it costs the file nothing. */
  readonly isExcused: boolean;
  /** Of a request that costs the file nothing: how long the file waits before it returns to the gate. */
  readonly ownWaitMs: number;
  /** Set if the response throttles, as all to this file or of this origin did for too long. */
  readonly fault: SourceFaultError | undefined;
  /** Reports the head of the response to the gate of the origin. */
  responded(report: OriginReport): void;
  /**
   * The connection was refused or reset, or no head came in time. Resolves when the requests that are under way show whether the
   * origin is alive. True if it is, and the number of requests may be the reason: then the limit is lower now, and the refusal
   * costs the file nothing. Ends the turn.
   */
  refused(): Promise<boolean>;
  leave(): void;
}

/** As its gate keeps it. */
export interface ActiveTurn extends Turn {
  readonly index: number;
  readonly startedAt: number;
  /** Requests that the origin has responded to while this one was under way, with itself. */
  among: number;
  /** Responses of the origin before. */
  readonly responsesBefore: number;
  hasResponded: boolean;
  isServed: boolean;
  isExcused: boolean;
  ownWaitMs: number;
  fault: SourceFaultError | undefined;
  /** Set while a refusal waits for the responses to others. */
  decide: ((isAlive: boolean) => void) | undefined;
}
