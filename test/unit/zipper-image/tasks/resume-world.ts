import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ZipCheckpointStatus } from '#crds/zip-checkpoint.ts';
import type { InheritedUpload, ListedFile, UploadState, ZipperStatus, ZipResult } from '#crds/zip-job.ts';
import type { ArchiveTask } from '#crds/zipper-task.ts';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { createGuardedAgent } from '#runtime/egress/guarded-agent.ts';
import { createGuardedHttpAgents } from '#runtime/egress/http-agents.ts';
import { AppError, toError } from '#runtime/errors.ts';
import { createLogger } from '#runtime/log/log.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import { type HostileStore, startHostileStore } from '#test/support/servers/hostile-store.ts';
import type { OriginRoute } from '#test/support/servers/origin-request.ts';
import { type StatusServer, startStatusServer } from '#test/support/servers/status-server.ts';
import { ZIPPER_DEFAULTS } from '#zipper-image/config.ts';
import { createBoundaryProbe } from '#zipper-image/sources/boundary-probe.ts';
import { createSourceReader } from '#zipper-image/sources/prefetch.ts';
import type { SourceSettings } from '#zipper-image/sources/settings.ts';
import { toFailure } from '#zipper-image/status/failure.ts';
import { createStatusApi, type StatusApi } from '#zipper-image/status/status-api.ts';
import { StatusError } from '#zipper-image/status/status-error.ts';
import { providerOf } from '#zipper-image/store/providers.ts';
import { createStore, type Store } from '#zipper-image/store/store.ts';
import { createUploadsLeft } from '#zipper-image/store/uploads-left.ts';
import { type ZipToS3Deps, zipToS3 } from '#zipper-image/tasks/zip-to-s3.ts';
import { settings as jobSettings, task as jobTask } from './job-harness.ts';

const log = createLogger('test', { level: process.env['TEST_LOG'] === '1' ? 'debug' : 'silent' });

/** Requests of a pod before and after which it can be killed. */
const STORE_STEPS: ReadonlySet<string | symbol> = new Set([
  'createUpload',
  'uploadPart',
  'completeUpload',
  'abortUpload',
  'listParts',
  'head',
  'lookAtUpload',
]);

export interface WorldOptions {
  readonly routes: Readonly<Record<string, OriginRoute>>;
  /** Paths of the origin, or data: URLs. */
  readonly files: readonly (string | (Partial<ListedFile> & { readonly path: string }))[];
  readonly task?: Partial<ArchiveTask>;
  readonly settings?: Partial<SourceSettings>;
}

export interface Ended {
  readonly result?: ZipResult;
  readonly error?: AppError;
  readonly failure?: ReturnType<typeof toFailure>;
}

function dead(): AppError {
  return new AppError('the pod was killed', { code: 'StoreUnavailable', retryable: false });
}

function superseded(): StatusError {
  return new StatusError('the pod was killed, or is not active', { code: 'Superseded' });
}

/** One pod, whose requests can be counted, and which can be killed: from then on nothing of it reaches anyone. */
export class Pod {
  readonly uid: string;
  readonly stopping = new AbortController();
  readonly left = createUploadsLeft();
  /** Names of its requests. */
  readonly steps: string[] = [];
  /** Kills it at this step, from 1. */
  killAt = Infinity;
  isDead = false;
  /** Called at each step. */
  onStep: (step: string) => Promise<void> | void = () => undefined;
  #world: ResumeWorld;

  constructor(uid: string, world: ResumeWorld) {
    this.uid = uid;
    this.#world = world;
  }

  async #step(step: string, error: () => Error): Promise<void> {
    if (this.isDead) throw error();
    this.steps.push(step);
    await this.onStep(step);
    if (this.steps.length >= this.killAt) this.isDead = true;
    if (this.isDead) throw error();
  }

  #wrapped(store: Store): Store {
    return new Proxy(store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        const method = value.bind(target) as (...args: unknown[]) => unknown;
        if (!STORE_STEPS.has(name)) return method;
        return async (...args: unknown[]) => {
          await this.#step(`${String(name)} before`, dead);
          const response = await method(...args);
          await this.#step(`${String(name)} after`, dead);
          return response;
        };
      },
    });
  }

  #statusApi(api: StatusApi): StatusApi {
    return {
      close: () => api.close(),
      apply: async (status, signal) => {
        const state = status.result ? 'result' : (status.upload?.state ?? 'none');
        await this.#step(`status ${state} before`, superseded);
        const response = await api.apply(status, signal);
        this.#world.written.set(this.uid, status);
        await this.#step(`status ${state} after`, superseded);
        return response;
      },
    };
  }

  #checkpointApi(): ZipToS3Deps['checkpointApi'] {
    const world = this.#world;
    const { uid } = this;
    function assertActive(): void {
      if (world.active !== uid) throw superseded();
    }
    return {
      read: async () => {
        await this.#step('checkpoint read', superseded);
        assertActive();
        return world.checkpoint;
      },
      write: async (checkpoint) => {
        await this.#step('checkpoint before', superseded);
        assertActive();
        world.onCheckpoint(checkpoint);
        await this.#step('checkpoint after', superseded);
      },
    };
  }

  async run(): Promise<Ended> {
    const world = this.#world;
    const store = world.createStore();
    const policy = createEgressPolicy({ allowCidrs: ['127.0.0.0/8'], denyCidrs: [] });
    const { settings, task, files } = world;
    const agent = createGuardedAgent(policy, { connections: 32, connectTimeoutMs: 5_000 });
    const isSequential = task.sequential === true;
    const reportFailures = (task.onSourceError ?? 'Fail') !== 'Fail';
    const sources = { agent, policy, settings, log, reportFailures, sequential: isSequential };
    const failureOf = (error: unknown) => ({ ...toFailure(error), ...this.left.end() });
    try {
      const result = await zipToS3({
        task,
        podUid: this.uid,
        settings,
        log,
        statusApi: this.#statusApi(world.api),
        checkpointApi: this.#checkpointApi(),
        stopping: this.stopping.signal,
        toFailure: failureOf,
        uploadsLeft: this.left,
        now: () => new Date(),
        lateListMs: 200,
        openStore: async () => this.#wrapped(store),
        readFiles: async () => world.listed,
        openSources: (_listed, signal, continued) =>
          createSourceReader({ ...sources, files, signal, ...(continued && { continued }) }),
        openProbe: (_listed, signal) => createBoundaryProbe({ ...sources, files, signal }),
      });
      return { result };
    } catch (thrown) {
      const error = toError(thrown) as AppError;
      return { error, failure: failureOf(error) };
    } finally {
      store.close();
      await agent.destroy();
    }
  }
}

/** A job whose pods come one after another, as the controller lets them, with a real store and real sources. */
export class ResumeWorld implements AsyncDisposable {
  readonly hostile: HostileStore;
  readonly server: StatusServer;
  readonly origin: FileOrigin;
  readonly api: StatusApi;
  readonly settings: ZipToS3Deps['settings'] & SourceSettings;
  task: ArchiveTask;
  readonly files: readonly ListedFile[];
  /** The files as the job lists them. */
  listed: readonly ListedFile[];
  readonly #directory: string;
  checkpoint: ZipCheckpointStatus | undefined;
  active = '';
  inherits: InheritedUpload | undefined;
  attempts: { readonly podUid: string; readonly exitCode?: number }[] = [];
  /** The last status of each pod. */
  readonly written = new Map<string, ZipperStatus>();
  #pods = 0;

  private constructor(
    parts: Pick<ResumeWorld, 'hostile' | 'server' | 'origin' | 'api'>,
    directory: string,
    options: WorldOptions,
  ) {
    this.hostile = parts.hostile;
    this.server = parts.server;
    this.origin = parts.origin;
    this.api = parts.api;
    this.#directory = directory;
    this.settings = {
      ...ZIPPER_DEFAULTS,
      ...jobSettings,
      sourceRetryBaseMs: 1,
      sourceRetryMaxMs: 5,
      sourceRetryLimitMs: 1_000,
      sourceRangedBytes: 1024 ** 2,
      checkpointIntervalMs: 1,
      ...options.settings,
    };
    this.files = options.files.map((file, index) => {
      const { path, ...more } = typeof file === 'string' ? { path: file } : file;
      const url = path.startsWith('data:') ? path : parts.origin.url(path);
      return { url, filename: `file-${index}.bin`, ...more };
    });
    this.listed = this.files;
    this.task = {
      ...jobTask,
      fixedModificationTime: '2026-01-02T03:04:06Z',
      files: { from: 'inline', count: this.files.length },
      ...options.task,
    };
  }

  static async start(options: WorldOptions): Promise<ResumeWorld> {
    const directory = await mkdtemp(join(tmpdir(), 'zipjobs-resume-'));
    await writeFile(join(directory, 'ca.crt'), '');
    await writeFile(join(directory, 'token'), 'token-1\n');
    const hostile = await startHostileStore();
    hostile.comparesParts = true;
    const server = await startStatusServer();
    const origin = await startFileOrigin({ routes: options.routes });
    const api = await createStatusApi({
      server: server.url,
      serviceAccountDir: directory,
      target: { namespace: 'shop', name: 'zip-1', uid: 'uid-1' },
      requestTimeoutMs: 5_000,
    });
    return new ResumeWorld({ hostile, server, origin, api }, directory, options);
  }

  createStore(): Store {
    const bucket = { service: 's3', name: 'bucket', endpoint: this.hostile.endpoint } as const;
    const policy = createEgressPolicy({ allowCidrs: ['127.0.0.0/8'], denyCidrs: [] });
    return createStore({
      bucket,
      provider: providerOf(bucket, { allowedHosts: ['127.0.0.1'], allowHttp: true }),
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
      agents: createGuardedHttpAgents(policy, { connections: 4 }),
      connectTimeoutMs: 10_000,
      idleTimeoutMs: 5_000,
    });
  }

  /** The next pod, which is active from now on. */
  nextPod(): Pod {
    this.#pods += 1;
    const pod = new Pod(`pod-${this.#pods}`, this);
    this.active = pod.uid;
    const { inherits, attempts } = this;
    this.server.shown = { checkpointed: true, attempts, ...(inherits && { inherits }) };
    return pod;
  }

  onCheckpoint(checkpoint: ZipCheckpointStatus): void {
    if (checkpoint.sequence < (this.checkpoint?.sequence ?? 0))
      throw new StatusError('the sequence falls', { code: 'ApiServerUnavailable', isRefusal: true });
    this.checkpoint = checkpoint;
  }

  uploadOf({ uid }: Pod): UploadState | undefined {
    return this.written.get(uid)?.upload;
  }

  /**
   * What the controller does when a pod is over, and another one may continue: it inherits the upload, or recovery ends it.
   * `exitCode`: undefined if nobody saw the pod exit.
   */
  over(pod: Pod, exitCode?: number): void {
    this.attempts.push({ podUid: pod.uid, ...(exitCode !== undefined && { exitCode }) });
    const upload = this.uploadOf(pod);
    const before = this.inherits;
    if (!upload) return;
    const { uploadId, owner = pod.uid, partSize, checkpoint } = upload;
    if (upload.state !== 'open' || checkpoint === undefined) {
      this.inherits = undefined;
      this.hostile.uploads.delete(uploadId);
      return;
    }
    const resumes = before?.uploadId === uploadId ? before.resumes + 1 : 0;
    this.inherits = { uploadId, owner, partSize, checkpoint, resumes };
  }

  /** Paths of the requests to the sources so far, without those of ranges. */
  get wholeRequests(): readonly string[] {
    return this.origin.requests.flatMap(({ path, headers }) => (headers['range'] ? [] : [path]));
  }

  get archive(): Buffer | undefined {
    return this.hostile.objects.get(this.task.key)?.body;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.api.close();
    await this.server[Symbol.asyncDispose]();
    await this.origin[Symbol.asyncDispose]();
    await this.hostile[Symbol.asyncDispose]();
    await rm(this.#directory, { recursive: true, force: true });
  }
}
