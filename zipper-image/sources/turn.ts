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
