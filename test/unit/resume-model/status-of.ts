/** The real status writer of a zipper of the model. */

import type { UploadState } from '#crds/zip-job.ts';
import type { OwnZipJob } from '#zipper-image/status/own-zip-job.ts';
import { StatusError } from '#zipper-image/status/status-error.ts';
import { createStatusWriter, type StatusWriter } from '#zipper-image/status/status-writer.ts';
import { PART_UNITS } from './model-sources.ts';
import { log, STATUS_SETTINGS, type ZipperDeps } from './zipper-deps.ts';

export interface StatusHooks {
  readonly uploadedUnits: () => number;
  readonly onSuperseded: (error: Error) => void;
  readonly onResponse: (zipJob: OwnZipJob) => void;
  readonly checkpoint: () => Pick<UploadState, 'checkpoint' | 'checkpointFailures'>;
}

export function statusWriterOf(deps: ZipperDeps, hooks: StatusHooks): StatusWriter {
  const { process, time, sources } = deps;
  async function apply(fields: Parameters<ZipperDeps['writeStatus']>[0]): Promise<OwnZipJob> {
    const written = await deps.writeStatus(fields);
    const zipJob = deps.zipJob();
    if (written === 'notActive' || !zipJob)
      throw new StatusError('another pod is active', { code: 'Superseded', httpStatus: 403 });
    if (written !== 'written')
      throw new StatusError('no response', {
        code: 'ApiServerUnavailable',
        isRefusal: written === 'refused',
      });
    const { metadata, spec, status } = zipJob;
    return { metadata: { uid: metadata.uid ?? '' }, spec, status } as OwnZipJob;
  }
  return createStatusWriter({
    api: { apply, close: () => Promise.resolve() },
    settings: STATUS_SETTINGS,
    log,
    progress: () => {
      const bytesUploaded = hooks.uploadedUnits();
      return {
        podUid: process.uid,
        filesTotal: sources.files.length,
        filesDone: 0,
        bytesRead: bytesUploaded,
        bytesUploaded,
        display: `${PART_UNITS}`,
        updatedAt: time.date.toISOString(),
      };
    },
    onSuperseded: hooks.onSuperseded,
    onResponse: hooks.onResponse,
    checkpoint: hooks.checkpoint,
  });
}
