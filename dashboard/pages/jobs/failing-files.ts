import type { Job, JobSourceCheck } from '#administration/job-view.ts';
import { meaningOf } from '#administration/meaning-of.ts';
import { FORMAT } from '../../format.ts';

/** The files of a failed job that cannot be downloaded. */
export interface FailingFiles {
  readonly summary: string;
  readonly rows: readonly FailingFileRow[];
  /** Whether the names of the files are known. */
  readonly isNamed: boolean;
}

interface FailingFileRow {
  readonly index: string;
  readonly filename: string;
  readonly reason: string;
  readonly httpStatus: string;
}

/** `137 of 10,000 files cannot be downloaded. 9,000 of the others declare 1.5 GiB in all.` */
const failingSummary = (
  { failed, failures, checked, bytes, lengths }: JobSourceCheck,
  files: number,
): string =>
  [
    `${FORMAT.number(failed)} of ${FORMAT.count(files, 'file')} cannot be downloaded.`,
    ...(checked < files ? [`Only ${FORMAT.number(checked)} could be checked in time.`] : []),
    ...(lengths > 0
      ? [`${FORMAT.number(lengths)} of the others declare ${FORMAT.bytes(bytes)} in all.`]
      : []),
    ...(failed > failures.length ? [`The first ${FORMAT.number(failures.length)} are listed.`] : []),
  ].join(' ');

/** Undefined if the sources were not checked. The failure of the job names the file that ended it. */
export const failingFilesOf = ({ sourceCheck, files }: Job): FailingFiles | undefined => {
  if (sourceCheck === null || sourceCheck.failures.length === 0) return undefined;
  const { failures } = sourceCheck;
  return {
    summary: failingSummary(sourceCheck, files.count),
    isNamed: failures.some(({ filename }) => filename !== null),
    rows: failures.map(({ fileIndex, filename, code, httpStatus }) => ({
      index: String(fileIndex),
      filename: filename ?? '',
      reason: meaningOf(code) || code,
      httpStatus: httpStatus === null ? '' : String(httpStatus),
    })),
  };
};
