import type { Progress } from '#crds/zip-job.ts';
import { defined } from '#runtime/optional.ts';
import { createPace } from './pace.ts';

/** The counts of one run; the status is written from them. */
export interface ProgressCounts {
  /** Index of the entry that is being written, and its bytes where the source tells them. */
  startFile(index: number, length?: number): void;
  finishFile(): void;
  /** The counts now. */
  snapshot(): Progress;
}

export interface ProgressOptions {
  readonly podUid: string;
  readonly filesTotal: number;
  readonly bytesRead: () => number;
  readonly bytesUploaded: () => number;
  readonly now: () => Date;
}

/** Counts files; bytes are asked for when a snapshot is taken. */
export const createProgress = (options: ProgressOptions): ProgressCounts => {
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
};
