import type { Progress } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import { shareRead } from '#runtime/share-read.ts';
import { sizeText } from '#runtime/size-text.ts';
import { createPace } from './pace.ts';

/** The counts of one run, which are written to the status. */
export interface ProgressCounts {
  /** Index of an entry, and its length if the source declares it. Entries start in the order of their indexes. */
  startFile(index: number, length?: number): void;
  finishFile(index: number): void;
  /** The bytes of all files, if they are known before the first one starts. */
  stateTotal(bytes: number | undefined): void;
  /** The bytes of the archive, if they are known before. */
  stateArchive(bytes: number | undefined): void;
  /** The last entry that has started: all errors that name no file are about it. */
  readonly lastStarted: number | undefined;
  /** The current counts. */
  snapshot(): Progress;
}

export interface ProgressOptions {
  readonly podUid: string;
  readonly filesTotal: number;
  readonly bytesRead: () => number;
  /** Those of `bytesRead` that earlier pods read. Default 0. */
  readonly bytesKept?: () => number;
  readonly bytesUploaded: () => number;
  readonly now: () => Date;
}

function percentText(counts: Parameters<typeof shareRead>[0]): string {
  if (counts.filesDone === counts.filesTotal) return '100%';
  return `${Math.min(99, Math.floor(shareRead(counts) * 100))}%`;
}

/** `1.5 GiB of 4.0 GiB`, as far as both are known. */
function archiveSizeText(bytesUploaded: number, archiveBytes = 0): string {
  const uploaded = sizeText(bytesUploaded);
  return archiveBytes > bytesUploaded ? `${uploaded} of ${sizeText(archiveBytes)}` : uploaded;
}

/** Counts files. Byte counts are read when a snapshot is taken. */
export function createProgress(options: ProgressOptions): ProgressCounts {
  const { podUid, filesTotal } = options;
  const pace = createPace(filesTotal);
  let filesDone = 0;
  const current = new Set<number>();
  let lastStarted: number | undefined;
  let archiveBytes: number | undefined;
  return {
    startFile: (index, length) => {
      current.add(index);
      lastStarted = index;
      pace.addFile(length);
    },
    finishFile: (index) => {
      filesDone += 1;
      current.delete(index);
    },
    stateTotal: (bytes) => pace.stateTotal(bytes),
    stateArchive: (bytes) => {
      archiveBytes = bytes;
    },
    get lastStarted() {
      return lastStarted;
    },
    snapshot: () => {
      const now = options.now();
      const bytesRead = options.bytesRead();
      const bytesUploaded = options.bytesUploaded();
      // Files start in their order.
      const [currentFile] = current;
      const counts = {
        filesTotal,
        filesDone,
        bytesRead,
        bytesUploaded,
        ...pace.at(now, bytesRead, options.bytesKept?.()),
      };
      return {
        podUid,
        ...counts,
        ...defined({ currentFile }),
        display: `${filesDone}/${filesTotal}`,
        percent: percentText(counts),
        size: archiveSizeText(bytesUploaded, archiveBytes),
        updatedAt: now.toISOString(),
      };
    },
  };
}
