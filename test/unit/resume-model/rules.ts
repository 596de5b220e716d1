/** What must be true, whatever happened. */
import { isFinished, type ZipJob, type ZipJobStatus } from '#crds/zip-job.ts';
import type { ModelProcess } from './model-process.ts';
import { archiveOf, faultOf } from './model-sources.ts';
import type { ModelWorld } from './model-world.ts';

/** Older records of attempts are dropped. */
const KEPT_ATTEMPTS = 10;

function isRecovery({ at }: ModelProcess): boolean {
  return at.startsWith('recovers');
}

export class Rules {
  readonly broken: string[] = [];
  resumed = 0;
  refused = 0;
  /** Uploads that recovery completed or aborted. */
  finished = 0;
  aborts = 0;
  /** Newest status, which survives the deletion of the job. */
  last: ZipJobStatus = {};
  readonly #adopted = new Set<string>();

  /** A write of the controller. */
  wrote({ status: was = {} }: ZipJob, { status: is = {} }: ZipJob): void {
    this.last = is;
    const adopted = is.inherits?.adoptedBy;
    if (adopted !== undefined && !this.#adopted.has(adopted)) {
      this.#adopted.add(adopted);
      this.resumed += 1;
    }
    if (was.inherits && !is.inherits && was.upload?.refusal !== undefined) this.refused += 1;
  }

  /** Nobody aborts an upload that the active pod may use. */
  aborted(world: ModelWorld, process: ModelProcess, uploadId: string): void {
    if (isRecovery(process)) this.aborts += 1;
    const active = world.zipJob?.status?.job?.podUid;
    if (active === undefined || active === process.uid) return;
    if (world.used.get(active) === uploadId)
      this.broken.push(
        `5: ${process.pod.metadata.name} (${process.at}) aborted ${uploadId} of the active pod`,
      );
  }

  completed(process: ModelProcess): void {
    if (isRecovery(process)) this.finished += 1;
  }

  /** A pod that was activated later sends no part to an upload that is being completed. */
  part(world: ModelWorld, process: ModelProcess, uploadId: string): void {
    const { upload, job } = world.zipJob?.status ?? {};
    if (upload?.state !== 'committing' || upload.uploadId !== uploadId) return;
    if (job?.podUid === process.uid)
      this.broken.push(`4: the active pod sent a part to ${uploadId}, which it is completing`);
  }

  /** At the very end: no request is on the way, and no process runs. */
  finish(world: ModelWorld): void {
    this.#judgeArchives(world);
    this.#judgeEnd(world);
    const { attempts = [] } = this.last;
    const isReported =
      attempts.length >= KEPT_ATTEMPTS || attempts.some(({ abortFailures = 0 }) => abortFailures > 0);
    const left = world.bucket.open.filter(({ parts }) => parts.length > 0);
    if (left.length > 0 && !isReported)
      this.broken.push(`6: uploads with parts remain: ${left.map(({ uploadId }) => uploadId).join()}`);
  }

  #judgeArchives({ bucket, sources }: ModelWorld): void {
    if (bucket.publications.length > 1) this.broken.push('2: more than one upload was completed');
    for (const { text } of bucket.publications) {
      const fault = faultOf(text, sources);
      if (fault !== undefined) this.broken.push(`1, 3: ${fault}`);
      else if (!sources.hasChanged && text !== archiveOf(sources.files.map(({ version }) => version)))
        this.broken.push(`7: another archive than without kills: ${text}`);
    }
  }

  #judgeEnd({ bucket, zipJob }: ModelWorld): void {
    const { phase, reason, message } = this.last;
    const isPublished = bucket.publications.length > 0;
    if (phase === 'Succeeded' && !isPublished) this.broken.push('2: succeeded without an archive');
    const mustBeAbsent = (phase === 'Failed' || phase === 'Cancelled') && reason !== 'OutcomeUnknown';
    if (mustBeAbsent && isPublished) this.broken.push(`2: ${phase} (${reason}), but an archive is there`);
    if (zipJob && !isFinished({ status: this.last }))
      this.broken.push(`8: the job did not end: ${phase} ${reason} ${message}`);
  }
}
