/** One run of the zipper: the protocol of the real one around an archive of text. */
import { EXIT_CODES } from '#crds/exit-codes.ts';
import type { InheritedUpload, UploadState } from '#crds/zip-job.ts';
import { CONTRACT_VERSION } from '#crds/zipper-contract.ts';
import { AppError, toError } from '#runtime/errors.ts';
import type { Ending } from '#test/support/builders/pod-statuses.ts';
import { abortRefused } from '#zipper-image/resume/abort-refused.ts';
import { type CheckpointWriter, createCheckpointWriter } from '#zipper-image/resume/checkpoint-writer.ts';
import { recordPart } from '#zipper-image/resume/list-kept.ts';
import type { Continuation } from '#zipper-image/resume/types.ts';
import { exitCodeOf, toFailure } from '#zipper-image/status/failure.ts';
import { StatusError } from '#zipper-image/status/status-error.ts';
import type { StatusWriter } from '#zipper-image/status/status-writer.ts';
import { abortUpload } from '#zipper-image/store/abort-upload.ts';
import type { Part } from '#zipper-image/store/complete-upload.ts';
import { createLateSignal } from '#zipper-image/store/late-signal.ts';
import { digestOfParts } from '#zipper-image/store/part-verification.ts';
import { startUpload, type Unconfirmed } from '#zipper-image/store/start-upload.ts';
import { lookUpPolicy, startPolicy } from '#zipper-image/store/store-retry.ts';
import { sweepUploads } from '#zipper-image/store/sweep-uploads.ts';
import { createUploadsLeft } from '#zipper-image/store/uploads-left.ts';
import { adoptIn } from './adopt.ts';
import { Unusable, writeArchive } from './archive-writer.ts';
import { ModelFiles } from './model-records.ts';
import { PartSender } from './part-sender.ts';
import { publishParts } from './publish-parts.ts';
import { statusWriterOf } from './status-of.ts';
import { log, PLAN, STORE_SETTINGS, type ZipperDeps } from './zipper-deps.ts';

const PARTS_WAIT_MS = 15_000;
const LAST_CHECKPOINT_MS = 5_000;
const LAST_WRITE_MS = 10_000;
const CHECKPOINT_INTERVAL_MS = 2_000;

interface Filling {
  readonly sender: PartSender;
  readonly files: ModelFiles;
  readonly continuation: Continuation | undefined;
}

export class ModelZipper {
  readonly #deps: ZipperDeps;
  readonly #left = createUploadsLeft();
  /** Aborted when superseded, stopped or failed. */
  readonly #cancel = new AbortController();
  readonly #status: StatusWriter;
  #isSuperseded = false;
  #upload: UploadState | undefined;
  #isCommitting = false;
  #mayBePublished = false;
  #sender: PartSender | undefined;
  #checkpoints: CheckpointWriter | undefined;
  #lastSequence: number | undefined;
  #isAdopted = false;

  constructor(deps: ZipperDeps) {
    this.#deps = deps;
    this.#status = statusWriterOf(deps, {
      uploadedUnits: () =>
        [...(this.#sender?.confirmed.values() ?? [])].reduce((sum, { bytes }) => sum + bytes, 0),
      onSuperseded: () => {
        this.#isSuperseded = true;
        this.#cancel.abort(new AppError('another pod is active', { code: 'Superseded', retryable: true }));
      },
      onResponse: ({ status }) => this.#checkpoints?.follow(status),
      checkpoint: () => {
        const { sequence, failures = 0 } = this.#checkpoints ?? {};
        return {
          ...(sequence !== undefined && { checkpoint: sequence }),
          ...(failures > 0 && { checkpointFailures: failures }),
        };
      },
    });
    deps.process.stopping.signal.addEventListener('abort', () => {
      if (!this.#isCommitting)
        this.#cancel.abort(new AppError('SIGTERM', { code: 'Terminated', retryable: true }));
    });
  }

  async run(): Promise<Ending> {
    const { signal } = this.#cancel;
    const { process, settings } = this.#deps;
    let stopProgress: (() => Promise<void>) | undefined;
    try {
      await this.#status.activate(settings.startDeadlineMs, signal);
      process.at = 'active';
      stopProgress = this.#status.startProgress(signal);
      const result = await this.#build();
      await stopProgress();
      using late = createLateSignal(process.stopping.signal, LAST_WRITE_MS);
      await this.#status.write({ result }, late.signal).catch(() => undefined);
      return {
        exitCode: EXIT_CODES.ok,
        message: { contractVersion: CONTRACT_VERSION, mode: 'archive', result },
      };
    } catch (thrown) {
      await stopProgress?.();
      return this.#fail(this.#cancel.signal.aborted ? toError(this.#cancel.signal.reason) : toError(thrown));
    }
  }

  async #build() {
    const { zipJob, settings } = this.#deps;
    const { signal } = this.#cancel;
    const inherits = zipJob()?.status?.inherits;
    const continuation = inherits ? await this.#continue(inherits) : undefined;
    if (!continuation) await this.#start(inherits);
    const upload = this.#upload;
    if (!upload) throw new Error('no upload');
    this.#deps.uses(upload.uploadId);
    const ref = { key: this.#deps.key, uploadId: upload.uploadId };
    const sender = new PartSender(this.#deps, ref, { signal, kept: continuation?.parts ?? new Map() });
    this.#sender = sender;
    const files = new ModelFiles(new Set(continuation?.parts.keys()));
    this.#checkpoints = this.#checkpointsOf(upload, { sender, files, continuation });
    this.#checkpoints.follow(zipJob()?.status);
    await writeArchive(this.#deps, { sender, continuation, files, signal });
    const parts = await sender.finish();
    return this.#publish(upload, parts, settings.partSizeBytes);
  }

  #checkpointsOf(
    { uploadId, owner = this.#deps.process.uid }: UploadState,
    { sender, files, continuation }: Filling,
  ): CheckpointWriter {
    const keptParts = continuation?.parts.size ?? 0;
    const sequence = this.#lastSequence;
    return createCheckpointWriter({
      api: this.#deps.checkpoints,
      settings: { checkpointIntervalMs: CHECKPOINT_INTERVAL_MS },
      log,
      upload: { uploadId, owner, plan: PLAN },
      last: sequence === undefined ? undefined : { sequence, isOfUpload: continuation !== undefined },
      partsConfirmed: () => sender.confirmed.size - keptParts,
      records: () => ({ files: files.records(), parts: sender.sorted.map(recordPart) }),
    });
  }

  async #publish(upload: UploadState, parts: readonly Part[], partSize: number) {
    const { process, key } = this.#deps;
    await this.#checkpoints?.stop();
    const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
    const archive = { bytes, entries: 3 };
    const partsDigest = digestOfParts(parts);
    const { uploadId, owner } = upload;
    const change: UploadState = {
      uploadId,
      ...(owner !== undefined && { owner }),
      state: 'committing',
      partSize,
      parts: parts.length,
      archive,
      partsDigest,
    };
    await this.#status.write({ upload: change }, this.#cancel.signal);
    this.#isCommitting = true;
    process.at = 'committing';
    const publication = {
      key,
      uploadId,
      attempt: owner ?? process.uid,
      bytes,
      parts,
      onConflict: 'replace',
    } as const;
    const { etag } = await publishParts(this.#deps, publication, {
      left: this.#left,
      onSent: (isSent) => {
        this.#mayBePublished = isSent;
      },
    });
    return { ...archive, etag, seconds: 1, peakMemory: 0, retries: 0, contractVersion: CONTRACT_VERSION };
  }

  /** Undefined if the upload was discarded. */
  async #continue(inherits: InheritedUpload): Promise<Continuation | undefined> {
    const { settings, process } = this.#deps;
    const { uploadId, owner } = inherits;
    const partSize = settings.partSizeBytes;
    const adoption = await adoptIn(this.#deps, inherits, this.#cancel.signal);
    this.#lastSequence = adoption.sequence;
    const named = { uploadId, owner, partSize };
    if (adoption.kind === 'refused') {
      process.at = `refused ${adoption.refusal}`;
      if (this.#deps.mistake !== 'abortsUnrecorded')
        await this.#status.write({ upload: { ...named, state: 'discarded' } }, this.#cancel.signal);
      this.#deps.uses(undefined);
      const { store, key } = this.#deps;
      const { signal } = this.#cancel;
      const isGone = await abortRefused({ store, settings: STORE_SETTINGS, log, signal }, { key, uploadId });
      if (!isGone) this.#left.abortFailed();
      this.#refusal = adoption.refusal;
      return undefined;
    }
    const { continuation } = adoption;
    this.#isAdopted = true;
    const resumedParts = continuation.parts.size;
    const resumedBytes = [...continuation.parts.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    this.#upload = { ...named, state: 'open', checkpoint: continuation.sequence, resumedParts, resumedBytes };
    await this.#status.write({ upload: this.#upload }, this.#cancel.signal);
    process.at = 'resumed';
    return continuation;
  }

  #refusal: UploadState['refusal'];

  async #start(inherits: InheritedUpload | undefined): Promise<void> {
    const { store, key, process, settings } = this.#deps;
    const { signal } = this.#cancel;
    const started = await startUpload({
      store,
      key,
      attempt: process.uid,
      retryPolicy: startPolicy(STORE_SETTINGS, log, () => undefined),
      signal,
      graceMs: STORE_SETTINGS.storeStartGraceMs,
      uploadsLeft: this.#left,
    });
    const { uploadId, unconfirmed } = started;
    this.#isAdopted = false;
    this.#upload = {
      uploadId,
      state: 'open',
      partSize: settings.partSizeBytes,
      ...(inherits && this.#refusal && { refusal: this.#refusal }),
    };
    if (this.#deps.mistake === 'sweepsUnfenced') await this.#sweepUnfenced(uploadId);
    if (signal.aborted) throw toError(signal.reason);
    await this.#status.write({ upload: this.#upload }, signal);
    process.at = 'open';
    void this.#sweep(uploadId, unconfirmed);
  }

  /** As the real upload does once it is recorded. */
  async #sweep(uploadId: string, unconfirmed: Unconfirmed | undefined): Promise<void> {
    if (!unconfirmed) return;
    const { store, key } = this.#deps;
    const { clock } = store;
    const { fromMs, toMs } = unconfirmed;
    function window() {
      const [from, to] = [clock.at(fromMs), clock.at(toMs)];
      return from && to && { fromMs: from.earliest, toMs: to.latest };
    }
    const of = { own: { key, uploadId }, window, isShared: false, ownExists: true };
    const swept = await sweepUploads({ ...this.#recovery, signal: this.#cancel.signal }, of);
    if (swept === 'swept') return;
    this.#left.abortFailed();
    if (this.#cancel.signal.aborted) this.#left.startUnconfirmed();
  }

  /** The mistake: no record of this pod fences it. */
  async #sweepUnfenced(uploadId: string): Promise<void> {
    const own = { key: this.#deps.key, uploadId };
    const always = { fromMs: 0, toMs: Infinity };
    await sweepUploads(this.#recovery, { own, window: () => always, isShared: false, ownExists: true });
  }

  get #recovery() {
    const { store } = this.#deps;
    const consistencyMs = STORE_SETTINGS.storeConsistencyMs;
    return { store, log, retryPolicy: () => lookUpPolicy(STORE_SETTINGS, log), consistencyMs };
  }

  async #abort(uploadId: string): Promise<void> {
    this.#deps.uses(undefined);
    this.#left.uploadEnded('open');
    try {
      const { isVerified } = await abortUpload(this.#recovery, { key: this.#deps.key, uploadId });
      if (isVerified) this.#left.uploadEnded('aborted');
    } catch {
      this.#left.abortFailed();
    }
  }

  async #fail(error: Error): Promise<Ending> {
    const { process } = this.#deps;
    process.at = `failing: ${error.message}`;
    this.#cancel.abort(error);
    const failure = toFailure(error);
    const isKept = await this.#leave(error, failure.retriable);
    const reported = { ...failure, ...(isKept ? { upload: 'kept' as const } : this.#left.end()) };
    if (!(error instanceof StatusError) && !this.#isSuperseded)
      await this.#status
        .write({ failure: reported }, AbortSignal.timeout(LAST_WRITE_MS))
        .catch(() => undefined);
    const isStopped = failure.code === 'Terminated' && isKept;
    const contents = { failure: reported, ...this.#left.reported() };
    return {
      exitCode: isStopped ? EXIT_CODES.checkpointed : exitCodeOf(failure),
      message: { contractVersion: CONTRACT_VERSION, mode: 'archive', ...contents },
    };
  }

  /** What becomes of the upload. True if another pod can continue it. */
  async #leave(error: Error, isRetriable: boolean): Promise<boolean> {
    const upload = this.#upload;
    await Promise.race([this.#sender?.allSent(), this.#deps.time.delay(PARTS_WAIT_MS)]);
    if (!upload || this.#mayBePublished || upload.state === 'discarded') return false;
    if (this.#mayKeep(error, isRetriable)) {
      await this.#checkpoints?.writeLast(LAST_CHECKPOINT_MS);
      return true;
    }
    await this.#checkpoints?.stop();
    await this.#end(upload);
    return false;
  }

  #mayKeep(error: Error, isRetriable: boolean): boolean {
    const isUsable = isRetriable && !(error instanceof Unusable);
    return this.#hasCheckpoint && isUsable && !this.#isCommitting && !this.#isSuperseded;
  }

  /** A pod that is no longer active touches nothing that another one may continue. */
  async #end(upload: UploadState): Promise<void> {
    if (!this.#hasCheckpoint) await this.#abort(upload.uploadId);
    else if (!this.#isSuperseded) await this.#discard(upload);
    else if (this.#deps.mistake === 'abortsWhenSuperseded') await this.#abort(upload.uploadId);
  }

  get #hasCheckpoint(): boolean {
    return this.#isAdopted || this.#checkpoints?.sequence !== undefined;
  }

  /** Nobody may continue the upload after this record, so it can be aborted. */
  async #discard(upload: UploadState): Promise<void> {
    const { uploadId, owner, partSize } = upload;
    const change = { uploadId, ...(owner !== undefined && { owner }), partSize, state: 'discarded' } as const;
    try {
      if (!this.#isCommitting && this.#deps.mistake !== 'abortsUnrecorded')
        await this.#status.write({ upload: change }, AbortSignal.timeout(LAST_WRITE_MS));
    } catch {
      return;
    }
    await this.#abort(uploadId);
  }
}
