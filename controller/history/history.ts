import type { ZipJob } from '#crds/zip-job.ts';
import type { ObjectKey, Reflector } from '#runtime/kube/types.ts';
import type { Logger } from '#runtime/log/log.ts';
import type { Clock } from '#runtime/time/clock.ts';
import type { ControllerConfig } from '../config/config.ts';
import { hasHistory } from '../zip-job/policies/archiving.ts';
import { type Archiver, createArchiver } from './archiver.ts';
import { createProjectUids, type ProjectUids } from './project-uids.ts';
import { createPurges, type Purges } from './purges.ts';

/** What every replica knows of the work for the history. */
export interface History {
  readonly archiver: Archiver;
  readonly projectUids: ProjectUids;
  readonly purges: Purges;
}

export interface HistoryOptions {
  readonly config: ControllerConfig;
  readonly log: Logger;
  readonly clock: Clock;
  readonly stopping: AbortSignal;
  readonly onProject: (key: ObjectKey) => void;
}

/** Undefined without a history database, which the log says once. */
export function createHistory(
  { config, log, clock, stopping: signal, onProject }: HistoryOptions,
  caches: () => { readonly zipJobs: Reflector<ZipJob> },
): History | undefined {
  if (!hasHistory(config)) {
    log.info(
      'there is no history database: finished jobs are deleted when their TTL is over (HISTORY_HOST is empty)',
    );
    return undefined;
  }
  return {
    archiver: createArchiver({ config, zipJobs: () => caches().zipJobs, clock, log, signal }),
    projectUids: createProjectUids(),
    purges: createPurges({ config, clock, log, onChange: onProject }),
  };
}
