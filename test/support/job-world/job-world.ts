import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import { isFinished, type ZipJob, type ZipperStatus } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { KubeError } from '#runtime/kube/kube-error.ts';
import type { Job, Pod, Secret } from '#runtime/kube/resources.ts';
import { createAct } from '../../../controller/act.ts';
import { INDEXES, jobUidsOf, targetOf } from '../../../controller/caches.ts';
import { decide } from '../../../controller/decide.ts';
import { createMemory } from '../../../controller/memory.ts';
import { createControllerMetrics } from '../../../controller/metrics.ts';
import type { DeliveryState } from '../../../controller/observation.ts';
import { createObserve } from '../../../controller/observe.ts';
import { createReconcile, type Reconcile } from '../../../controller/reconcile.ts';
import { aConfig, aPod, aZipBucket, aZipJob, aZipProject, NAME, NAMESPACE, NOW } from '../builders.ts';
import { createFakeObjects } from '../fake-objects.ts';
import { createVersionedClient } from '../versioned-client.ts';
import { expectWanted } from './promises.ts';
import { WorldStore } from './world-store.ts';
import { createSettler, createZipper, type WorldPod } from './world-zipper.ts';

const KEY = `${NAMESPACE}/${NAME}`;
const registry = new Registry();
const metrics = createControllerMetrics(registry);
const log = pino({ level: 'silent' });

/** The controller's process was killed, before or after the n-th write of its life. */
class Killed extends Error {}

/**
 * One ZipJob with all that acts on it: the real observe, decide and act over objects in memory, the Job controller of Kubernetes,
 * zippers, and a store. Nothing moves by itself; a test calls who is to move next.
 */
export class JobWorld {
  now = NOW;
  readonly zipJobs = createFakeObjects<ZipJob>({ indexes: { [INDEXES.target]: (one) => [targetOf(one)] } });
  readonly jobs = createFakeObjects<Job>();
  readonly pods = createFakeObjects<Pod>({ indexes: { [INDEXES.jobUid]: jobUidsOf } });
  readonly buckets = createFakeObjects<ZipBucket>();
  readonly projects = createFakeObjects<ZipProject>();
  readonly store = new WorldStore();
  readonly processes = new Map<string, WorldPod>();
  /** Told after every write of the ZipJob. */
  readonly onWrite: (before: ZipJob, after: ZipJob) => void;
  /** Writes of the controller until it is killed; the killing one happens or not, by the sign of chance. */
  killIn = Infinity;
  killsBefore = false;
  delivery: DeliveryState = { kind: 'idle' };
  isNamespaceTerminating = false;
  /** Jobs that archive, made by the controller and not deleted by somebody else. */
  jobsMade = 0;
  #reconcile: Reconcile;
  #pods = 0;

  constructor(zipJob: ZipJob = aZipJob(), onWrite: JobWorld['onWrite'] = () => undefined) {
    this.onWrite = onWrite;
    this.zipJobs.put(zipJob);
    this.buckets.put(aZipBucket());
    this.projects.put(aZipProject());
    this.#reconcile = this.#start();
  }

  get zipJob(): ZipJob | undefined {
    return this.zipJobs.all()[0];
  }

  get nowText(): string {
    return `${this.now.toISOString().slice(0, 19)}Z`;
  }

  pass(seconds: number): void {
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

  /** A zipper's write of its own fields: taken only from the pod in charge, and never after the end. */
  writeAsZipper(podUid: string, fields: ZipperStatus): boolean {
    const { zipJob } = this;
    if (zipJob?.status?.job?.podUid !== podUid || isFinished(zipJob)) return false;
    const {
      progress: _progress,
      upload: _upload,
      result: _result,
      failure: _failure,
      ...own
    } = zipJob.status;
    const progress = fields.progress && { ...fields.progress, updatedAt: this.nowText };
    this.zipJobs.put({ ...zipJob, status: { ...own, ...fields, ...(progress && { progress }) } });
    return true;
  }

  startPod(job: Job): void {
    this.#pods += 1;
    const { name, uid = '' } = job.metadata;
    const pod = this.pods.put(
      aPod(`${name}-${this.#pods}`, {
        metadata: {
          creationTimestamp: this.nowText,
          ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name, uid, controller: true }],
        },
        status: { phase: 'Running', startTime: this.nowText },
      }),
    );
    this.processes.set(
      pod.metadata.name,
      name === NAME ? createZipper(this, pod) : createSettler(this, pod, job),
    );
  }

  askToStop({ metadata: { name } }: Pod): void {
    const pod = this.pod(name);
    if (pod && pod.metadata.deletionTimestamp === undefined)
      this.pods.put({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: this.nowText } });
  }

  removePod(name: string): void {
    this.pods.remove(NAMESPACE, name);
    this.processes.delete(name);
  }

  /** What goes with the object that owned it, as Kubernetes' garbage collector sees to it. */
  collectGarbage(): void {
    const owners = new Set([this.zipJob, ...this.jobs.all()].map((owner) => owner?.metadata.uid));
    const isOrphan = ({ metadata }: Job | Pod): boolean =>
      metadata.ownerReferences?.some(({ uid }) => !owners.has(uid)) === true;
    for (const job of this.jobs.all().filter(isOrphan)) this.jobs.remove(NAMESPACE, job.metadata.name);
    for (const pod of this.pods.all().filter(isOrphan)) this.askToStop(pod);
  }

  /** The caches of the controller see, or no longer see, what happens. */
  set lagging(lags: boolean) {
    for (const kind of [this.zipJobs, this.jobs, this.pods, this.buckets, this.projects]) {
      kind.lagging = lags;
      if (!lags) kind.catchUp();
    }
  }

  /** One turn of the controller; a killed one is followed by a new process that remembers nothing. */
  async reconcile(): Promise<void> {
    try {
      await this.#reconcile(KEY, new AbortController().signal);
    } catch (error) {
      if (!(error instanceof Killed || error instanceof KubeError)) throw error;
      if (error instanceof Killed) this.#reconcile = this.#start();
    }
  }

  async #write<T>(write: () => Promise<T>): Promise<T> {
    this.killIn -= 1;
    if (this.killIn > 0) return write();
    this.killIn = Infinity;
    if (!this.killsBefore) await write();
    throw new Killed('killed');
  }

  async #createJob(job: Job): Promise<Job | undefined> {
    const metadata = { ...job.metadata, creationTimestamp: this.nowText };
    const made = await this.jobs.client.create({ ...job, metadata });
    if (!made || metadata.name !== NAME) return made;
    expectWanted(this.zipJob, this.jobsMade);
    this.jobsMade += 1;
    return made;
  }

  #clients() {
    const zipJobs = createVersionedClient(this.zipJobs, this.onWrite, () => this.nowText);
    return {
      zipJobs: {
        ...zipJobs,
        apply: (...call: Parameters<typeof zipJobs.apply>) => this.#write(() => zipJobs.apply(...call)),
        mergePatch: (...call: Parameters<typeof zipJobs.mergePatch>) =>
          this.#write(() => zipJobs.mergePatch(...call)),
        delete: (...call: Parameters<typeof zipJobs.delete>) => this.#write(() => zipJobs.delete(...call)),
      },
      jobs: {
        ...this.jobs.client,
        create: (job: Job) => this.#write(() => this.#createJob(job)),
        delete: (...call: Parameters<typeof this.jobs.client.delete>) =>
          this.#write(() => this.jobs.client.delete(...call)),
      },
      pods: {
        ...this.pods.client,
        apply: () => Promise.resolve(aPod('any')),
        delete: (_namespace: string, name: string) =>
          this.#write(() => {
            this.removePod(name);
            return Promise.resolve(true);
          }),
      },
      buckets: this.buckets.client,
      projects: this.projects.client,
      secrets: createFakeObjects<Secret>().client,
    };
  }

  #start(): Reconcile {
    this.delivery = { kind: 'idle' };
    const clock = {
      date: () => this.now,
      monotonicMs: () => this.now.getTime(),
      after: () => ({ [Symbol.dispose]: () => undefined }),
    };
    const memory = createMemory();
    const clients = this.#clients();
    const dispatcher = {
      submit: () => {
        this.delivery = { kind: 'inFlight' };
      },
      state: () => this.delivery,
      settle: () => {
        this.delivery = { kind: 'idle' };
      },
      waiting: 0,
    };
    const caches = {
      zipJobs: this.zipJobs.reflector,
      jobs: this.jobs.reflector,
      pods: this.pods.reflector,
      buckets: this.buckets.reflector,
      projects: this.projects.reflector,
    };
    const slots = { ask: () => ({ kind: 'granted' }) as const, withdraw: () => undefined };
    return createReconcile({
      observe: createObserve({
        ...clients,
        caches,
        memory,
        dispatcher,
        slots,
        clock,
        events: { list: () => Promise.resolve([]) },
        isNamespaceTerminating: () => Promise.resolve(this.isNamespaceTerminating),
      }),
      decide,
      act: createAct({
        ...clients,
        memory,
        dispatcher,
        metrics,
        clock,
        log,
        recordEvent: () => undefined,
        endpointNotes: { add: () => undefined },
        planDelivery: () => ({
          key: KEY,
          attemptId: '',
          endpoint: '',
          isWanted: () => true,
          send: () => Promise.reject(new Error('no')),
        }),
      }),
      queue: { add: () => undefined, addAfter: () => undefined, forget: () => undefined },
      config: aConfig(),
      clock,
      metrics,
    });
  }
}
