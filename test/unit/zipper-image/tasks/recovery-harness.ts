import type { RecoveryTask } from '#crds/zipper-task.ts';
import { createHttpAgents } from '#runtime/egress/http-agents.ts';
import { createLogger } from '#runtime/log.ts';
import { type HostileStore, startHostileStore } from '#test/support/servers/hostile-store.ts';
import { providerOf } from '#zipper-image/store/providers.ts';
import { publish } from '#zipper-image/store/publish.ts';
import type { RecoveryDeps } from '#zipper-image/store/recover-upload.ts';
import { createStore, type Part, type Store } from '#zipper-image/store/store.ts';
import { storeRetryPolicy } from '#zipper-image/store/store-retry.ts';
import { createUploadsLeft } from '#zipper-image/store/uploads-left.ts';
import { recover } from '#zipper-image/tasks/recover.ts';

export const denied = { kind: 'response', status: 403, code: 'AccessDenied' } as const;
const log = createLogger('test', { level: 'silent' });
const KEY = 'a.zip';
const ATTEMPT = 'pod-1';
/** Stands for the 15 seconds of the setting. */
const CONSISTENCY_MS = 150;

export const recoverySettings = {
  storeAttempts: 2,
  storeThrottledAttempts: 2,
  storeRetryBaseMs: 1,
  storeRetryMaxMs: 2,
  storeStartGraceMs: 300,
  storeConsistencyMs: CONSISTENCY_MS,
  recoveryLimitMs: 15_000,
};

/** An attempt with one part uploaded, ready to complete its upload. */
export interface CommittingAttempt {
  readonly uploadId: string;
  /** A Complete that is sent once and not recovered, as by a pod that is no longer active. */
  complete(): Promise<unknown>;
  /** Complete with recovery, as by the active pod. */
  publish(): Promise<unknown>;
}

/** The recovery of an attempt that recorded `committing`, at a store that can misbehave. */
export class RecoveryHarness implements AsyncDisposable {
  readonly hostile: HostileStore;
  readonly store: Store;
  readonly left = createUploadsLeft();
  readonly #settings: typeof recoverySettings;

  private constructor(hostile: HostileStore, store: Store, settings: typeof recoverySettings) {
    this.hostile = hostile;
    this.store = store;
    this.#settings = settings;
  }

  static async start(settings = recoverySettings): Promise<RecoveryHarness> {
    const hostile = await startHostileStore();
    const bucket = { service: 's3', name: 'bucket', endpoint: hostile.endpoint } as const;
    const store = createStore({
      bucket,
      provider: providerOf(bucket, { allowedHosts: ['127.0.0.1'], allowHttp: true }),
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
      agents: createHttpAgents({ connections: 4 }),
      connectTimeoutMs: 15_000,
      idleTimeoutMs: 15_000,
    });
    return new RecoveryHarness(hostile, store, settings);
  }

  async committing(): Promise<CommittingAttempt> {
    const { store } = this;
    const uploadId = await store.createUpload(KEY, ATTEMPT);
    const upload = { key: KEY, uploadId };
    const digests = { kind: 'md5', md5: Buffer.from('900150983cd24fb0d6963f7d28e17f72', 'hex') } as const;
    const part: Part = await store.uploadPart(upload, { number: 1, body: Buffer.from('abc'), digests });
    const publication = {
      ...upload,
      attempt: ATTEMPT,
      bytes: 3,
      parts: [part],
      onConflict: 'replace',
    } as const;
    return {
      uploadId,
      complete: () => store.completeUpload(upload, [part], 'replace'),
      publish: () => publish(this.#deps, publication),
    };
  }

  get #deps(): RecoveryDeps {
    const { storeConsistencyMs: consistencyMs } = this.#settings;
    const retryPolicy = () => storeRetryPolicy(this.#settings, log);
    return { store: this.store, log, retryPolicy, consistencyMs };
  }

  recover({ uploadId }: Pick<CommittingAttempt, 'uploadId'>, signal = new AbortController().signal) {
    const task: RecoveryTask = {
      contractVersion: 1,
      mode: 'recover',
      bucket: { service: 's3', name: 'bucket' },
      key: KEY,
      attempt: ATTEMPT,
      since: new Date(Date.now() - 60_000).toISOString(),
      uploadState: 'committing',
      uploadId,
    };
    return recover({
      task,
      store: this.store,
      settings: this.#settings,
      log,
      stopping: signal,
      onAbortFailed: this.left.abortFailed,
    });
  }

  count(operation: string): number {
    return this.hostile.requests.filter((request) => request.operation === operation).length;
  }

  /** True if the archive of the attempt is at the key. */
  get isPublished(): boolean {
    return this.hostile.objects.get(KEY)?.metadata['zip-attempt'] === ATTEMPT;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.store.close();
    await this.hostile[Symbol.asyncDispose]();
  }
}
