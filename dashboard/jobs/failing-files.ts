import { shortCause } from '#administration/errors/failure-cause.ts';
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

export interface FailingFileRow {
  /** Its position in the file list, counted from 1. */
  readonly number: string;
  /** Empty if unknown, like the host. */
  readonly filename: string;
  readonly host: string;
  /** In few words, such as `404 Not Found`. */
  readonly cause: string;
}

/** `The other 11 are 11.0 MiB in total.` */
function othersText({ failed, checked, lengths, bytes }: JobSourceCheck, files: number): readonly string[] {
  if (lengths === 0) return [];
  const size = `${FORMAT.bytes(bytes)} in total`;
  const isAll = checked >= files && lengths === files - failed;
  const others = `${isAll ? 'The other' : 'Of the others,'} ${FORMAT.number(lengths)}`;
  return [lengths === 1 ? `${others} has ${size.replace(' in total', '')}.` : `${others} are ${size}.`];
}

/** `137 of 10,000 files could not be downloaded. Of the others, 9,000 are 1.5 GiB in total.` */
function failingSummary(check: JobSourceCheck, files: number): string {
  const { failed, failures, checked } = check;
  return [
    `${FORMAT.number(failed)} of ${FORMAT.count(files, 'file')} could not be downloaded.`,
    ...(checked < files ? [`Only ${FORMAT.number(checked)} could be checked in time.`] : []),
    ...othersText(check, files),
    ...(failed > failures.length ? [`The first ${FORMAT.number(failures.length)} are listed.`] : []),
  ].join(' ');
}

/** Undefined if the sources were not checked. The panel of the failure names the file that ended the job. */
export function failingFilesOf({ sourceCheck, files }: Job, sources: KnownSources): FailingFiles | undefined {
  if (sourceCheck === null || sourceCheck.failures.length === 0) return undefined;
  const { failures } = sourceCheck;
  return {
    summary: failingSummary(sourceCheck, files.count),
    rows: failures.map((file) => ({
      number: FORMAT.number(file.fileIndex + 1),
      filename: sources.get(file.fileIndex)?.filename ?? '',
      host: sources.get(file.fileIndex)?.host ?? '',
      cause: shortCause(file),
    })),
    isNamed: failures.some(({ fileIndex }) => sources.has(fileIndex)),
  };
}
