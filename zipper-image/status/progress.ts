import type { Progress } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import { createPace } from './pace.ts';

/** The counts of one run, which are written to the status. */
export interface ProgressCounts {
  /** Index of the current entry, and its length if the source declares it. */
  startFile(index: number, length?: number): void;
  finishFile(): void;
  /** The current counts. */
  snapshot(): Progress;
}

export interface ProgressOptions {
  readonly podUid: string;
  readonly filesTotal: number;
  readonly bytesRead: () => number;
  readonly bytesUploaded: () => number;
  readonly now: () => Date;
}

/** Counts files. Byte counts are read when a snapshot is taken. */
export function createProgress(options: ProgressOptions): ProgressCounts {
  const { podUid, filesTotal } = options;
  const pace = createPace(filesTotal);
  let filesDone = 0;
  let currentFile: number | undefined;
  return {
    startFile: (index, length) => {
      currentFile = index;
      pace.addFile(length);
    },
    finishFile: () => {
      filesDone += 1;
      currentFile = undefined;
    },
    snapshot: () => {
      const now = options.now();
      const bytesRead = options.bytesRead();
      return {
        podUid,
        filesTotal,
        filesDone,
        bytesRead,
        bytesUploaded: options.bytesUploaded(),
        ...defined({ currentFile }),
        ...pace.at(now, bytesRead),
        display: `${filesDone}/${filesTotal}`,
        updatedAt: now.toISOString(),
      };
    },
  };
}
