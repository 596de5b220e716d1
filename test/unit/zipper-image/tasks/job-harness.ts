import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ZipResult } from '#crds/zip-job.ts';
import type { ArchiveTask } from '#crds/zipper-task.ts';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { createGuardedHttpAgents } from '#runtime/egress/http-agents.ts';
import type { AppError } from '#runtime/errors.ts';
import { createLogger } from '#runtime/log/log.ts';
import { type HostileStore, startHostileStore } from '#test/support/servers/hostile-store.ts';
import { type StatusServer, startStatusServer } from '#test/support/servers/status-server.ts';
import { createKnownSources } from '#zipper-image/sources/known-sources.ts';
import type { SourceEntry } from '#zipper-image/sources/types.ts';
import { toFailure } from '#zipper-image/status/failure.ts';
import { createStatusApi, type StatusApi } from '#zipper-image/status/status-api.ts';
import { providerOf } from '#zipper-image/store/providers.ts';
import { createStore, type Store } from '#zipper-image/store/store.ts';
import { createUploadsLeft } from '#zipper-image/store/uploads-left.ts';
import { type ZipToS3Deps, zipToS3 } from '#zipper-image/tasks/zip-to-s3.ts';

const log = createLogger('test', { level: 'silent' });
export const PART = 256 * 1024;
export const settings = {
  partSizeBytes: PART,
  storeBufferBytes: 0,
  maxArchiveBytes: 2 ** 40,
  sourceUnknownLengthZip64: false,
  sourceSequential: false,
  sourceCheckLimitMs: 10_000,
  storeRetryLimitMs: 10_000,
  storeRetryBaseMs: 1,
  storeRetryMaxMs: 2,
  storeStartGraceMs: 300,
  storeConsistencyMs: 50,
  storeIdleTimeoutMs: 5_000,
  statusActivationIntervalMs: 10,
  statusProgressIntervalMs: 20,
  statusRefusalLimitMs: 300,
  statusRetryBaseMs: 1,
  statusRetryMaxMs: 5,
  checkpointIntervalMs: 5,
};
export const task: ArchiveTask = {
  contractVersion: 1,
  mode: 'archive',
  bucket: { service: 's3', name: 'bucket' },
  namespace: 'shop',
  zipJob: 'zip-1',
  zipJobUid: 'uid-1',
  key: 'a.zip',
  compression: 'auto',
  onConflict: 'replace',
  defaultModificationTime: '2026-01-02T03:04:06Z',
  files: { from: 'inline', count: 3 },
  startDeadlineSeconds: 5,
  activeDeadlineSeconds: 60,
};
export const bodies = [randomBytes(2_000_000), Buffer.from('small'), randomBytes(1_500_000)];

async function* inChunks(body: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += 65_536) yield body.subarray(at, at + 65_536);
}

export function entryOf(body: Buffer, index: number): SourceEntry {
  return {
    index,
    filename: `file-${index}`,
    declaredLength: body.length,
    lastModified: undefined,
    lengthUnverified: index === 2,
    contentEncoded: index === 1,
    body: inChunks(body),
    small: body.length <= 1024 ** 2 ? body : undefined,
  };
}

export type Entries = (signal: AbortSignal) => AsyncIterable<SourceEntry>;
export const allEntries: Entries = async function* () {
  for (const [index, body] of bodies.entries()) yield entryOf(body, index);
};
/** One entry, then none until the task ends. */
export const stuckEntries: Entries = async function* (signal) {
  yield entryOf(bodies[0]!, 0);
  await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
};

/** One job with a scripted API server, in-memory sources and a store that can inject faults. */
export class JobHarness implements AsyncDisposable {
  readonly hostile: HostileStore;
  readonly server: StatusServer;
  readonly directory: string;
  readonly stopping = new AbortController();
  readonly left = createUploadsLeft();
  readonly known = createKnownSources();
  /** The check of the other sources. */
  checkOthers = async (_signal: AbortSignal): Promise<void> => {};
  sourcesOpened = 0;
  /** The job has no checkpoint unless a test says so. */
  checkpoints: ZipToS3Deps['checkpointApi'] = {
    read: async () => undefined,
    write: async () => {
      throw new Error('the job has no checkpoint');
    },
  };
  readonly #api: StatusApi;
  readonly #store: Store;

  private constructor(
    parts: Pick<JobHarness, 'hostile' | 'server' | 'directory'>,
    api: StatusApi,
    store: Store,
  ) {
    this.hostile = parts.hostile;
    this.server = parts.server;
    this.directory = parts.directory;
    this.#api = api;
    this.#store = store;
  }

  static async start(): Promise<JobHarness> {
    const directory = await mkdtemp(join(tmpdir(), 'zipjobs-zip-to-s3-'));
    await writeFile(join(directory, 'ca.crt'), '');
    await writeFile(join(directory, 'token'), 'token-1\n');
    const hostile = await startHostileStore();
    const server = await startStatusServer();
    const target = { namespace: 'shop', name: 'zip-1', uid: 'uid-1' };
    const api = await createStatusApi({
      server: server.url,
      serviceAccountDir: directory,
      target,
      requestTimeoutMs: 5_000,
    });
    const bucket = { service: 's3', name: 'bucket', endpoint: hostile.endpoint } as const;
    const policy = createEgressPolicy({ allowCidrs: ['127.0.0.0/8'], denyCidrs: [] });
    const store = createStore({
      bucket,
      provider: providerOf(bucket, { allowedHosts: ['127.0.0.1'], allowHttp: true }),
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
      agents: createGuardedHttpAgents(policy, { connections: 4 }),
      connectTimeoutMs: 10_000,
      idleTimeoutMs: 5_000,
    });
    return new JobHarness({ hostile, server, directory }, api, store);
  }

  run(entries: Entries = allEntries, change: Partial<ZipToS3Deps> = {}): Promise<ZipResult> {
    return zipToS3({
      task,
      podUid: 'pod-1',
      settings,
      log,
      statusApi: this.#api,
      checkpointApi: this.checkpoints,
      openProbe: () => {
        throw new Error('nothing is inherited');
      },
      stopping: this.stopping.signal,
      toFailure: (error) => ({ ...toFailure(error), ...this.left.end() }),
      uploadsLeft: this.left,
      now: () => new Date(),
      openStore: async () => this.#store,
      readFiles: async () => bodies.map((_, index) => ({ url: 'http://source/', filename: `file-${index}` })),
      openSources: (_files, signal) => {
        this.sourcesOpened += 1;
        async function dispose(): Promise<void> {}
        return {
          entries: () => entries(signal),
          bytesRead: 42,
          retries: 7,
          known: this.known,
          checkOthers: (ended) => this.checkOthers(ended),
          [Symbol.asyncDispose]: dispose,
        };
      },
      ...change,
    });
  }

  async failing(...args: Parameters<JobHarness['run']>): Promise<AppError> {
    try {
      await this.run(...args);
    } catch (error) {
      return error as AppError;
    }
    throw new Error('it did not fail');
  }

  /** The numbers of open uploads and objects in the store. */
  get leftovers(): readonly number[] {
    return [this.hostile.uploads.size, this.hostile.objects.size];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#store.close();
    await this.#api.close();
    await this.server[Symbol.asyncDispose]();
    await this.hostile[Symbol.asyncDispose]();
    await rm(this.directory, { recursive: true, force: true });
  }
}
