/** What the steps of one archive share. */
import { manifestFiles } from '#crds/manifest-files.ts';
import type { FileEntry, UploadState } from '#crds/zip-job.ts';
import type { ArchiveTask } from '#crds/zipper-task.ts';
import { AppError } from '#runtime/errors.ts';
import type { Logger } from '#runtime/log/log.ts';
import type { EntryNames } from '../archive/entry-names.ts';
import type { RecordedFiles } from '../archive/recorded-files.ts';
import type { CheckpointWriter, CheckpointWriterDeps } from '../resume/checkpoint-writer.ts';
import type { BoundaryProbe } from '../resume/resolve.ts';
import type { Continuation } from '../resume/types.ts';
import type { SourceReader, SourceReaderDeps } from '../sources/types.ts';
import type { OwnZipJob } from '../status/own-zip-job.ts';
import { createProgress } from '../status/progress.ts';
import type { StatusApi } from '../status/status-api.ts';
import { createStatusWriter, type StatusSettings, type StatusWriter } from '../status/status-writer.ts';
import type { Store } from '../store/store.ts';
import type { Upload, UploadSettings } from '../store/upload.ts';
import type { UploadsLeftCount } from '../store/uploads-left.ts';
import type { CheckSettings } from './check-others.ts';

export interface ZipToS3Deps {
  readonly task: ArchiveTask;
  readonly podUid: string;
  readonly settings: UploadSettings &
    StatusSettings &
    CheckSettings &
    CheckpointWriterDeps['settings'] & { readonly sourceUnknownLengthZip64: boolean };
  readonly log: Logger;
  readonly statusApi: StatusApi;
  readonly checkpointApi: CheckpointWriterDeps['api'];
  /** Called when this pod is active. */
  readonly openStore: () => Promise<Store>;
  /** The file list; `zipJob` is the response of the API server. */
  readonly readFiles: (zipJob: OwnZipJob) => Promise<readonly FileEntry[]>;
  readonly openSources: (
    files: readonly FileEntry[],
    signal: AbortSignal,
    continued?: SourceReaderDeps['continued'],
  ) => SourceReader & AsyncDisposable;
  /** Asks sources before the first download, if the upload of an earlier pod is continued. */
  readonly openProbe: (files: readonly FileEntry[], signal: AbortSignal) => BoundaryProbe;
  /** Aborted when the pod is terminated. */
  readonly stopping: AbortSignal;
  readonly uploadsLeft: UploadsLeftCount;
  /** For the times in the status. */
  readonly now: () => Date;
  /** How long the result or the failure is written after the end of the job or pod. Default: ten seconds. */
  readonly lastWriteMs?: number;
  /** How long the list of the store may lack a recorded part. Default: 30 seconds. */
  readonly lateListMs?: number;
  readonly toFailure: (error: unknown) => NonNullable<Parameters<StatusWriter['write']>[0]['failure']>;
}

export interface ListOfFiles {
  readonly entries: readonly FileEntry[];
  readonly names: EntryNames;
}

/** The upload of this run, from its start on. */
export interface OpenedUpload {
  readonly upload: Upload;
  readonly list: ListOfFiles;
  /** What the status says about it in each state. */
  readonly recorded: Omit<UploadState, 'state'>;
  readonly checkpoints: CheckpointWriter;
  /** What a later pod needs to know of the files. */
  readonly files: RecordedFiles;
  /** Set if an earlier pod started it. */
  readonly continuation: Continuation | undefined;
  /** Pods that have continued it, with this one. Set as `continuation`. */
  readonly resumes: number | undefined;
}

/** State of the run; progress counts are read from it at any time. */
interface Run {
  opened?: OpenedUpload;
  sources?: SourceReader;
  isChecking?: boolean;
  /** Once `committing` is recorded, the upload is published or aborted, and left to nobody. Until then, the status may say either. */
  commit?: 'recording' | 'recorded';
  /** The upload is left to the next pod. */
  isKept?: boolean;
  isPastDeadline?: boolean;
}

export interface Work {
  readonly deps: ZipToS3Deps;
  readonly run: Run;
  readonly status: StatusWriter;
  readonly progress: ReturnType<typeof createProgress>;
  /** Aborts everything: on termination, when superseded, or when something failed. */
  readonly cancel: AbortController;
  /** Aborted on termination, when superseded, and at the deadline of the job. */
  readonly ended: AbortController;
  readonly startedAt: number;
}

export function hasManifest(task: ArchiveTask): boolean {
  return manifestFiles(task).length > 0;
}

function checkpointOf({ opened }: Run): Pick<UploadState, 'checkpoint' | 'checkpointFailures'> {
  const { sequence, failures = 0 } = opened?.checkpoints ?? {};
  return {
    ...(sequence !== undefined && { checkpoint: sequence }),
    ...(failures > 0 && { checkpointFailures: failures }),
  };
}

export function createWork(deps: ZipToS3Deps): Work {
  const run: Run = {};
  const cancel = new AbortController();
  const ended = new AbortController();
  ended.signal.addEventListener('abort', () => cancel.abort(ended.signal.reason), { once: true });
  const progress = createProgress({
    podUid: deps.podUid,
    filesTotal: deps.task.files.count,
    bytesRead: () => run.sources?.bytesRead ?? 0,
    bytesKept: () => run.sources?.bytesKept ?? 0,
    bytesUploaded: () => run.opened?.upload.bytesUploaded ?? 0,
    now: deps.now,
  });
  const status = createStatusWriter({
    api: deps.statusApi,
    settings: deps.settings,
    log: deps.log,
    progress: () => progress.snapshot(),
    checkpoint: () => checkpointOf(run),
    onResponse: (zipJob) => run.opened?.checkpoints.follow(zipJob.status),
    sourceCheck: () => (run.isChecking === true ? run.sources?.known.summary() : undefined),
    onSuperseded: (error) => ended.abort(error),
  });
  return { deps, run, status, progress, cancel, ended, startedAt: performance.now() };
}

/** Node's longest timer. */
const LONGEST_MS = 2 ** 31 - 1;

/** The controller ends the job at its deadline. A pod that cannot be reached ends itself then. */
export function stopAtDeadline({ deps, ended, run }: Work): Disposable {
  const { activeDeadlineSeconds } = deps.task;
  function stop(): void {
    const text = `The job exceeded its deadline of ${activeDeadlineSeconds} s`;
    run.isPastDeadline = true;
    ended.abort(new AppError(text, { code: 'Terminated', retryable: true }));
  }
  const timer = setTimeout(stop, Math.min(activeDeadlineSeconds * 1000, LONGEST_MS));
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
