import type { Clock } from '../time/clock.ts';
import type { ServerClock } from '../time/server-clock.ts';
import type { Release } from './find-release.ts';
import type { Finding } from './finding.ts';
import type { Reader } from './reader.ts';

/** What a check reads. */
export interface CheckContext {
  readonly reader: Reader;
  readonly release: Release;
  /** Version of the program that runs the checks. */
  readonly version: string;
  /** Of this machine. */
  readonly clock: Pick<Clock, 'date'>;
  /** Of the API server. */
  readonly serverClock: Pick<ServerClock, 'date'>;
}

export interface Check {
  /** One or two words. */
  readonly name: string;
  /** At least one finding. @throws ForbiddenReadError, KubeError */
  readonly run: (context: CheckContext) => Promise<readonly Finding[]>;
}
