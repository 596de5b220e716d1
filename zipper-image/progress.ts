import type { Progress } from '#crds/zip-job.ts';

/** The counts of one run; the status is written from them. */
export interface ProgressCounts {
  /** Index of the entry that is being written. */
  startFile(index: number): void;
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
  let filesDone = 0;
  let currentFile: number | undefined;
  return {
    startFile: (index) => {
      currentFile = index;
    },
    finishFile: () => {
      filesDone += 1;
      currentFile = undefined;
    },
    snapshot: () => ({
      podUid,
      filesTotal,
      filesDone,
      bytesRead: options.bytesRead(),
      bytesUploaded: options.bytesUploaded(),
      ...(currentFile !== undefined && { currentFile }),
      display: `${filesDone}/${filesTotal}`,
      updatedAt: options.now().toISOString(),
    }),
  };
};
