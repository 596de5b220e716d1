/**
 * One job in the job world (the real observe, decide and act), whose zippers and recoveries run the real protocol code at a bucket in
 * memory. Everything acts in virtual time, in an order that the seed decides.
 */
import { isPodOf } from '#controller/cluster/ownership.ts';
import { isEnded } from '#controller/cluster/pod-state.ts';
import type { ZipCheckpointStatus } from '#crds/zip-checkpoint.ts';
import { isFinished, type ZipJob, type ZipperStatus } from '#crds/zip-job.ts';
import type { RecoveryTask } from '#crds/zipper-task.ts';
import { toError } from '#runtime/errors.ts';
import type { Job, Pod } from '#runtime/kube/resources.ts';
import { aZipJob, NAME } from '#test/support/builders/objects.ts';
import { type Ending, ended } from '#test/support/builders/pod-statuses.ts';
import type { Random } from '#test/support/random.ts';
import { JobWorld } from '#test/support/worlds/job-world/job-world.ts';
import { taskOf, type Written } from '#test/support/worlds/job-world/world-zipper.ts';
import { StatusError } from '#zipper-image/status/status-error.ts';
import type { Mistake } from './mistakes.ts';
import { ModelProcess, REQUEST_KINDS, type RequestKind } from './model-process.ts';
import { runRecovery } from './model-recovery.ts';
import { ModelSources, PART_UNITS } from './model-sources.ts';
import { ModelBucket, UNIT_BYTES } from './model-store.ts';
import { ModelZipper } from './model-zipper.ts';
import { createModelStore } from './store-client.ts';
import type { VirtualTime } from './virtual-time.ts';
import type { ZipperDeps } from './zipper-deps.ts';

/** How long the API server may take for a request. */
const LATEST_MS = 30_000;

export interface ModelRules {
  /** Every abort that took effect. */
  aborted(world: ModelWorld, process: ModelProcess, uploadId: string): void;
  part(world: ModelWorld, process: ModelProcess, uploadId: string): void;
  completed(process: ModelProcess): void;
}

export class ModelWorld extends JobWorld {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly bucket: ModelBucket;
  readonly sources: ModelSources;
  readonly mistake: Mistake | undefined;
  readonly faults = { rate: 0 };
  /** The kind of requests at which most happens in this schedule. */
  readonly focus: RequestKind;
  /** Requests to the API server that get no response. */
  apiFaults = 0;
  /** Which upload each pod uses. */
  readonly used = new Map<string, string>();
  readonly #rules: ModelRules;
  #busy = 0;

  constructor(given: {
    readonly time: VirtualTime;
    readonly random: Random;
    readonly rules: ModelRules;
    readonly mistake: Mistake | undefined;
    readonly onWrite: (before: ZipJob, after: ZipJob) => void;
  }) {
    const activeDeadlineSeconds = given.random.pick([0, 0, 0, 60, 240]);
    super(aZipJob({ spec: activeDeadlineSeconds === 0 ? {} : { activeDeadlineSeconds } }), given.onWrite);
    this.time = given.time;
    this.random = given.random;
    this.mistake = given.mistake;
    this.#rules = given.rules;
    this.bucket = new ModelBucket(given.time, given.random, given.mistake);
    this.sources = new ModelSources(given.random);
    this.focus = given.random.pick(REQUEST_KINDS);
  }

  /** Called when a pod starts, and when a request of a pod takes effect. */
  onStart: (process: ModelProcess) => void = () => undefined;
  onEffect: (process: ModelProcess) => void = () => undefined;
  /** Called when a pod has recorded `committing`. */
  onCommit: (process: ModelProcess) => void = () => undefined;
  /** Events of the schedule, for the report of a violation. */
  readonly events: string[] = [];

  note(what: string): void {
    this.events.push(`${(this.time.nowMs / 1000).toFixed(1)} ${what}`);
  }

  get models(): readonly ModelProcess[] {
    return [...this.processes.values()].filter((one) => one instanceof ModelProcess);
  }

  get isReconciling(): boolean {
    return this.#busy > 0;
  }

  override bindPods(): void {
    for (const pod of this.pods.all()) {
      const job = this.jobs.all().find(({ metadata }) => isPodOf(pod, metadata));
      if (this.isFull || pod.status?.phase !== 'Pending' || !job) continue;
      const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: this.nowText };
      const status = { phase: 'Running', conditions: [scheduled], startTime: this.nowText };
      const bound = this.pods.put({ ...pod, status });
      const process = new ModelProcess(bound, this.time.nowMs, (ending) => this.#report(process, ending));
      this.processes.set(pod.metadata.name, process);
      this.onStart(process);
      this.#start(process, job);
    }
  }

  override async reconcile(): Promise<void> {
    this.#busy += 1;
    try {
      await super.reconcile();
    } finally {
      this.#busy -= 1;
    }
  }

  /** Another process leads; the one before may still be writing. */
  override takeOver(): void {
    super.takeOver();
    this.#busy = 0;
  }

  override async write<T>(write: () => Promise<T>): Promise<T> {
    await this.time.delay(this.random.int(0, 400));
    const result = await super.write(write);
    await this.time.delay(this.random.int(0, 400));
    return result;
  }

  /** The job may have been cancelled since the controller read it. */
  override async createJob(job: Job): Promise<Job | undefined> {
    const metadata = { ...job.metadata, creationTimestamp: this.nowText };
    return this.jobs.client.create({ ...job, metadata });
  }

  override writeAsZipper(podUid: string, fields: ZipperStatus): Written {
    const { zipJob } = this;
    const isUnfenced = this.mistake === 'unfencedCommitting' && fields.upload?.state === 'committing';
    if (!isUnfenced || !zipJob || isFinished(zipJob)) return super.writeAsZipper(podUid, fields);
    const active = zipJob.status?.job?.podUid;
    return super.writeAsZipper(active ?? podUid, fields) === 'refused' ? 'refused' : 'written';
  }

  protected override refusesTakingBack(...given: Parameters<JobWorld['refusesTakingBack']>): boolean {
    return this.mistake !== 'unorderedStates' && super.refusesTakingBack(...given);
  }

  /** The policy of checkpoints, and a merge patch of the status. @throws StatusError */
  patchCheckpoint(podUid: string, change?: ZipCheckpointStatus): ZipCheckpointStatus | undefined {
    const [object] = this.checkpoints.all();
    const code = 'ApiServerUnavailable';
    if (object && object.spec.activePodUid !== podUid)
      throw new StatusError('another pod is active', { code: 'Superseded', httpStatus: 403 });
    if (!change) return object?.status;
    if (!object) throw new StatusError('there is no checkpoint', { code, httpStatus: 404, isRefusal: true });
    if (change.sequence < (object.status?.sequence ?? 0))
      throw new StatusError('the sequence falls', { code, httpStatus: 422, isRefusal: true });
    this.checkpoints.write(podUid, change);
    return change;
  }

  /** A request of a pod to the API server, which may get no response, or take effect after the pod has sent others, or was killed. */
  async #asking<T>(process: ModelProcess, kind: RequestKind, act: () => T): Promise<T | undefined> {
    await process.gate(kind);
    await this.time.delay(this.random.int(2, 300));
    const fate =
      this.random.next() < this.apiFaults ? this.random.pick(['unsent', 'unheard', 'late']) : 'delivered';
    if (fate === 'late') this.time.after(this.random.int(1_000, LATEST_MS), act);
    const result = fate === 'unsent' || fate === 'late' ? undefined : act();
    await this.time.delay(this.random.int(2, 300));
    await process.gate();
    return fate === 'delivered' ? result : undefined;
  }

  async #checkpointing(
    process: ModelProcess,
    change: ZipCheckpointStatus | undefined,
  ): Promise<ZipCheckpointStatus | undefined> {
    const response = await this.#asking(process, 'checkpoint', () => {
      try {
        return { status: this.patchCheckpoint(process.uid, change) };
      } catch (error) {
        return { error };
      }
    });
    if (response && 'status' in response) return response.status;
    throw response
      ? toError(response.error)
      : new StatusError('no response', { code: 'ApiServerUnavailable' });
  }

  #start(process: ModelProcess, job: Job): void {
    const deps = this.#depsOf(process, job);
    const { mode, uploadState, finish } = taskOf(job);
    if (mode === 'recover') this.note(`recovery: ${JSON.stringify([uploadState, finish])}`);
    const run =
      job.metadata.name === NAME
        ? new ModelZipper(deps).run()
        : runRecovery(deps, taskOf(job) as unknown as RecoveryTask);
    run.then(
      async (ending) => {
        await process.gate();
        process.end(ending);
      },
      (error: unknown) => {
        this.broken ??= error;
      },
    );
  }

  /** An error of the model itself. */
  broken: unknown;

  #depsOf(process: ModelProcess, job: Job): ZipperDeps {
    const { bucket, faults, time, random, sources, mistake } = this;
    const store = createModelStore({
      focus: this.focus,
      bucket,
      process,
      faults,
      onAbort: (uploadId) => this.#rules.aborted(this, process, uploadId),
      onComplete: () => this.#rules.completed(process),
      onPart: (uploadId, isNew) => {
        if (isNew) this.#rules.part(this, process, uploadId);
      },
      note: (what) => {
        this.onEffect(process);
        this.note(`${process.pod.metadata.name.slice(-2)} [${process.at}]: ${what}`);
      },
    });
    return {
      process,
      time,
      random,
      store,
      sources,
      mistake,
      key: this.zipJob?.spec.key ?? '',
      settings: {
        partSizeBytes: PART_UNITS * UNIT_BYTES,
        startDeadlineMs: Number(taskOf(job)['startDeadlineSeconds']) * 1000,
      },
      writeStatus: (fields) =>
        this.#asking(
          process,
          fields.upload?.state === 'committing' && !fields.result ? 'commit' : 'status',
          () => {
            const written = this.writeAsZipper(process.uid, fields);
            const { upload, result, failure } = fields;
            if (written === 'written' && upload?.state === 'committing' && !result) this.onCommit(process);
            this.note(
              `${process.pod.metadata.name.slice(-2)} status ${written} ${JSON.stringify([upload?.state, upload?.uploadId, upload?.checkpoint, result?.etag, failure?.code])}`,
            );
            return written;
          },
        ),
      zipJob: () => this.zipJob,
      checkpoints: {
        read: () => this.#checkpointing(process, undefined),
        write: async (change) => {
          await this.#checkpointing(process, change);
        },
      },
      isEncrypted: bucket.hasOpaqueEtags,
      failsOften: this.focus === 'abort',
      uses: (uploadId) => {
        if (uploadId === undefined) this.used.delete(process.uid);
        else this.used.set(process.uid, uploadId);
      },
    };
  }

  /** The kubelet reports the end of a pod. */
  #report(process: ModelProcess, ending: Ending): void {
    this.used.delete(process.uid);
    this.time.after(this.random.int(50, 3_000), () => {
      const live: Pod | undefined = this.pod(process.pod.metadata.name);
      if (live?.metadata.uid === process.uid && !isEnded(live) && !process.isLost)
        this.putPod({ ...live, status: { ...live.status, ...ended(ending) } });
    });
  }
}
