import { JOB_INDEXES, POD_INDEXES } from '#controller/cluster/caches.ts';
import { isPodOf } from '#controller/cluster/ownership.ts';
import type { Reconcile } from '#controller/reconciling/reconcile.ts';
import type { JobTraces } from '#controller/tracing/job-traces.ts';
import type { DeliveryState } from '#controller/webhook/dispatcher.ts';
import { rfc3339 } from '#crds/conditions.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import { isFinished, type ZipJob, type ZipJobStatus, type ZipperStatus } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import type { Job, Pod } from '#runtime/kube/resources.ts';
import { createFakeCheckpoints } from '../../builders/fake-checkpoints.ts';
import { createFakeObjects } from '../../builders/fake-objects.ts';
import { aPod, aZipBucket, aZipJob, aZipProject, NAME, NAMESPACE, NOW } from '../../builders/objects.ts';
import { expectJobAllowed } from './invariants.ts';
import { Requeue } from './requeue.ts';
import { startController } from './world-controller.ts';
import { createRecover } from './world-recovery.ts';
import { WorldStore } from './world-store.ts';
import { createZipper, type WorldPod, type Written } from './world-zipper.ts';

const KINDS = ['zipJobs', 'jobs', 'pods', 'buckets', 'projects'] as const;
/** Delay before the retry of a failed reconcile. */
const RETRY_MS = 1000;
const KEY = `${NAMESPACE}/${NAME}`;

/** The controller's process was killed before or after the n-th write since its start. */
class Killed extends Error {}

/**
 * One ZipJob with everything that acts on it: the real observe, decide and act with objects in memory, a
 * simulated Job controller of Kubernetes, zippers, and a store. Nothing happens on its own; a test calls each
 * step.
 */
export class JobWorld {
  now = NOW;
  readonly zipJobs = createFakeObjects<ZipJob>();
  readonly jobs = createFakeObjects<Job>({ indexes: JOB_INDEXES });
  readonly pods = createFakeObjects<Pod>({ indexes: POD_INDEXES });
  readonly buckets = createFakeObjects<ZipBucket>();
  readonly projects = createFakeObjects<ZipProject>();
  readonly checkpoints = createFakeCheckpoints();
  readonly store = new WorldStore(() => this.now);
  readonly processes = new Map<string, WorldPod>();
  /** Called after every write of the ZipJob. */
  readonly onWrite: (before: ZipJob, after: ZipJob) => void;
  readonly newTraces: () => JobTraces | undefined;
  /**
   * Writes of the controller until it is killed; `killsBefore` says whether the last one still takes effect.
   */
  killIn = Infinity;
  killsBefore = false;
  delivery: DeliveryState = { kind: 'idle' };
  isNamespaceTerminating = false;
  /** Seconds by which the clock of the next pod's kubelet is ahead of the API server's. */
  kubeletSkew: () => number = () => 0;
  /** Seconds by which the clock of the Job controller is ahead of the API server's. */
  jobControllerSkew = 0;
  /** The API server refuses every write of a pod for another reason than the active pod, as while it starts. */
  refusesPods = false;
  /** No node has room for another pod. */
  isFull = false;
  /** Number of archive Jobs that the controller created and that still exist or were deleted by it. */
  jobsCreated = 0;
  isJobDeletedByHand = false;
  /** Names of the ended pods that the Job controller has counted. */
  readonly countedPods = new Set<string>();
  readonly requeue = new Requeue();
  #reconcile: Reconcile;
  #pods = 0;
  #remembered: readonly (() => void)[] = [];

  constructor(
    zipJob: ZipJob = aZipJob(),
    onWrite: JobWorld['onWrite'] = () => undefined,
    newTraces: JobWorld['newTraces'] = () => undefined,
  ) {
    this.onWrite = onWrite;
    this.newTraces = newTraces;
    this.zipJobs.put(zipJob);
    this.buckets.put(aZipBucket());
    this.projects.put(aZipProject());
    this.#reconcile = startController(this);
  }

  get zipJob(): ZipJob | undefined {
    return this.zipJobs.all()[0];
  }

  get nowText(): string {
    return this.timeText(0);
  }

  /** The current time of a clock that is ahead by these seconds, as Kubernetes writes it. */
  timeText(skewSeconds: number): string {
    return rfc3339(new Date(this.now.getTime() + skewSeconds * 1000));
  }

  advance(seconds: number): void {
    this.now = new Date(this.now.getTime() + seconds * 1000);
  }

  pod(name: string): Pod | undefined {
    return this.pods.all().find(({ metadata }) => metadata.name === name);
  }

  putPod(pod: Pod): void {
    this.pods.put(pod);
  }

  edit(change: (zipJob: ZipJob) => ZipJob): void {
    const { zipJob } = this;
    if (zipJob) this.zipJobs.put(change(zipJob));
  }

  suspend(suspend: boolean): void {
    this.edit((job) => (isFinished(job) ? job : { ...job, spec: { ...job.spec, suspend } }));
  }

  cancel(): void {
    this.edit((job) => ({ ...job, spec: { ...job.spec, cancel: true } }));
  }

  deleteZipJob(): void {
    const { zipJob } = this;
    if (!zipJob || zipJob.metadata.deletionTimestamp !== undefined) return;
    const { finalizers = [], name } = zipJob.metadata;
    if (finalizers.length === 0) this.zipJobs.remove(NAMESPACE, name);
    else this.edit((job) => ({ ...job, metadata: { ...job.metadata, deletionTimestamp: this.nowText } }));
  }

  /** A zipper's write of its own fields: accepted only from the active pod, and never after the end. */
  /** Whether the policy of status writes refuses that a pod changes what it has recorded about its upload. */
  protected refusesTakingBack(
    podUid: string,
    { progress, upload: before }: ZipJobStatus,
    { upload: after }: ZipperStatus,
  ): boolean {
    if (!before || progress?.podUid !== podUid) return false;
    if (!after) return true;
    if (after.uploadId !== before.uploadId) return before.state !== 'discarded';
    return before.state !== 'open' && before.state !== after.state;
  }

  writeAsZipper(podUid: string, fields: ZipperStatus): Written {
    const { zipJob } = this;
    if (this.refusesPods) return 'refused';
    if (zipJob?.status?.job?.podUid !== podUid || isFinished(zipJob)) return 'notActive';
    if (this.refusesTakingBack(podUid, zipJob.status, fields)) return 'refused';
    const {
      progress: _progress,
      upload: _upload,
      result: _result,
      failure: _failure,
      ...own
    } = zipJob.status;
    const progress = fields.progress && { ...fields.progress, updatedAt: this.nowText };
    this.zipJobs.put({ ...zipJob, status: { ...own, ...fields, ...(progress && { progress }) } });
    return 'written';
  }

  startPod(job: Job): void {
    this.#pods += 1;
    const { name, uid = '' } = job.metadata;
    this.pods.put(
      aPod(`${name}-${this.#pods}`, {
        metadata: {
          creationTimestamp: this.nowText,
          ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name, uid, controller: true }],
        },
        status: { phase: 'Pending' },
      }),
    );
    this.bindPods();
  }

  /** The scheduler: the API server records the time of the binding, and the kubelet that of its start. */
  bindPods(): void {
    for (const pod of this.pods.all()) {
      const job = this.jobs.all().find(({ metadata }) => isPodOf(pod, metadata));
      if (this.isFull || pod.status?.phase !== 'Pending' || !job) continue;
      const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: this.nowText };
      const startTime = this.timeText(this.kubeletSkew());
      const bound = this.pods.put({
        ...pod,
        status: { phase: 'Running', conditions: [scheduled], startTime },
      });
      const create = job.metadata.name === NAME ? createZipper : createRecover;
      this.processes.set(pod.metadata.name, create(this, bound, job));
    }
  }

  /**
   * A node becomes unreachable; its processes keep running, or died with it. Usually Kubernetes evicts its
   * pods.
   */
  loseNode(process: WorldPod, is: { readonly noticed: boolean; readonly dead: boolean }): void {
    process.isLost = true;
    process.hangs ||= is.dead;
    if (is.noticed) this.deletePod(process.pod);
  }

  deletePod({ metadata: { name } }: Pod): void {
    const pod = this.pod(name);
    if (pod?.status?.phase === 'Pending') this.removePod(name);
    else if (pod && pod.metadata.deletionTimestamp === undefined)
      this.pods.put({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: this.nowText } });
  }

  /** The object of an ended pod is deleted once its Job, if it still exists, has counted it. */
  forgetPod({ metadata }: Pod): void {
    const hasJob = this.jobs
      .all()
      .some(({ metadata: { uid } }) => uid === metadata.ownerReferences?.[0]?.uid);
    if (!hasJob || this.countedPods.has(metadata.name)) this.removePod(metadata.name);
  }

  removePod(name: string): void {
    this.pods.remove(NAMESPACE, name);
    if (this.processes.get(name)?.isLost !== true) this.processes.delete(name);
  }

  /** Deletes orphans, like Kubernetes' garbage collector. */
  collectGarbage(): void {
    const owners = new Set([this.zipJob, ...this.jobs.all()].map((owner) => owner?.metadata.uid));
    function isOrphan({ metadata }: Job | Pod): boolean {
      return metadata.ownerReferences?.some(({ uid }) => !owners.has(uid)) === true;
    }
    for (const job of this.jobs.all().filter(isOrphan)) this.jobs.remove(NAMESPACE, job.metadata.name);
    for (const pod of this.pods.all().filter(isOrphan)) this.deletePod(pod);
  }

  /**
   * The caches of the controller for which this is true (called once for each) stop receiving changes; the
   * others receive all of them.
   */
  lag(isBehind: () => boolean): void {
    for (const kind of KINDS) {
      this[kind].lagging = isBehind();
      if (!this[kind].lagging) this[kind].catchUp();
    }
  }

  /** Another replica stops receiving changes now. */
  remember(): void {
    this.#remembered = KINDS.map((kind) => this[kind].remember());
  }

  /** That replica becomes the leader, with its outdated caches. */
  takeOver(): void {
    if (this.#remembered.length === 0) return;
    this.lag(() => true);
    for (const restore of this.#remembered) restore();
    this.#reconcile = startController(this);
    this.requeue.add(this.now, 0);
  }

  /** Deletes the Job and its pods, like a user. */
  deleteJobByHand(): void {
    this.isJobDeletedByHand = true;
    this.jobs.remove(NAMESPACE, NAME);
    this.jobsCreated = 0;
    this.collectGarbage();
  }

  /** One reconcile of the controller; after a kill a new process without memory replaces it. */
  async reconcile(): Promise<void> {
    this.requeue.start(this.now);
    try {
      await this.#reconcile(KEY, new AbortController().signal);
    } catch (error) {
      if (!(error instanceof Killed || error instanceof KubeError)) throw error;
      if (error instanceof Killed) this.#reconcile = startController(this);
      this.requeue.add(this.now, RETRY_MS);
    }
  }

  /** A write of the controller, during which it may be killed. */
  async write<T>(write: () => Promise<T>): Promise<T> {
    this.killIn -= 1;
    if (this.killIn > 0) return write();
    this.killIn = Infinity;
    if (!this.killsBefore) await write();
    throw new Killed('killed');
  }

  async createJob(job: Job): Promise<Job | undefined> {
    const metadata = { ...job.metadata, creationTimestamp: this.nowText };
    const made = await this.jobs.client.create({ ...job, metadata });
    if (!made || metadata.name !== NAME) return made;
    expectJobAllowed(this.zipJob, this.jobsCreated);
    this.jobsCreated += 1;
    return made;
  }
}
