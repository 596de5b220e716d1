import { failureHelp } from '#administration/errors/failure-help.ts';
import type { Job, JobSourceCheck } from '#administration/jobs/job-view.ts';
import { FORMAT } from '../ui/format.ts';
import type { KnownSources } from './known-sources.ts';

/** The files of a failed job that cannot be downloaded. */
export interface FailingFiles {
  readonly summary: string;
  readonly rows: readonly FailingFileRow[];
  /** Whether the names and hosts of the files are known. */
  readonly isNamed: boolean;
}

/** Empty for what is unknown. */
export interface FailingFileRow {
  readonly index: string;
  readonly filename: string;
  readonly host: string;
  readonly reason: string;
  readonly httpStatus: string;
}

interface FailingFile {
  readonly fileIndex: number;
  readonly code: string;
  readonly httpStatus: number | null;
}

/** `137 of 10,000 files cannot be downloaded. 9,000 of the others declare 1.5 GiB in all.` */
function failingSummary(
  { failed, failures, checked, bytes, lengths }: JobSourceCheck,
  files: number,
): string {
  return [
    `${FORMAT.number(failed)} of ${FORMAT.count(files, 'file')} cannot be downloaded.`,
    ...(checked < files ? [`Only ${FORMAT.number(checked)} could be checked in time.`] : []),
    ...(lengths > 0
      ? [`${FORMAT.number(lengths)} of the others declare ${FORMAT.bytes(bytes)} in all.`]
      : []),
    ...(failed > failures.length ? [`The first ${FORMAT.number(failures.length)} are listed.`] : []),
  ].join(' ');
}

export function failingFileRow(
  { fileIndex, code, httpStatus }: FailingFile,
  sources: KnownSources,
): FailingFileRow {
  return {
    index: String(fileIndex),
    filename: sources.get(fileIndex)?.filename ?? '',
    host: sources.get(fileIndex)?.host ?? '',
    reason: failureHelp(code)?.words ?? code,
    httpStatus: httpStatus === null ? '' : String(httpStatus),
  };
}

/** Undefined if the sources were not checked. The panel of the failure names the file that ended the job. */
export function failingFilesOf({ sourceCheck, files }: Job, sources: KnownSources): FailingFiles | undefined {
  if (sourceCheck === null || sourceCheck.failures.length === 0) return undefined;
  const { failures } = sourceCheck;
  return {
    summary: failingSummary(sourceCheck, files.count),
    rows: failures.map((file) => failingFileRow(file, sources)),
    isNamed: failures.some(({ fileIndex }) => sources.has(fileIndex)),
  };
}
