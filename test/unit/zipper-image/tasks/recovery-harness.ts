import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { OnConflict } from '#crds/zip-job.ts';
import type { RecoveryTask } from '#crds/zipper-task.ts';
import { createHttpAgents } from '#runtime/egress/http-agents.ts';
import { createLogger } from '#runtime/log/log.ts';
import type { StoreKind } from '#runtime/store/store-location.ts';
import { RetryLimit } from '#runtime/time/retry-limit.ts';
import { type HostileStore, startHostileStore } from '#test/support/servers/hostile-store.ts';
import type { Part } from '#zipper-image/store/complete-upload.ts';
import type { Finish } from '#zipper-image/store/finish-upload.ts';
import type { PartDigests } from '#zipper-image/store/part.ts';
import { digestOfParts } from '#zipper-image/store/part-verification.ts';
import { providerOf } from '#zipper-image/store/providers.ts';
import { type PublishDeps, publish } from '#zipper-image/store/publish.ts';
import { createStore, type Store } from '#zipper-image/store/store.ts';
import { CAPABILITIES } from '#zipper-image/store/store-capabilities.ts';
import { lookUpPolicy, storeRetryPolicy } from '#zipper-image/store/store-retry.ts';
import { createUploadsLeft } from '#zipper-image/store/uploads-left.ts';
import { recover } from '#zipper-image/tasks/recover.ts';

export const denied = { kind: 'response', status: 403, code: 'AccessDenied' } as const;
const log = createLogger('test', { level: 'silent' });
const KEY = 'a.zip';
const ATTEMPT = 'pod-1';
/** What every recovery here has in common. */
export const RECOVERY = {
  contractVersion: 1,
  mode: 'recover',
  zipJobUid: 'uid-1',
  bucket: { service: 's3', name: 'bucket' },
  key: KEY,
  attempt: ATTEMPT,
} as const;
/** Stands for the 15 seconds of the setting. */
const CONSISTENCY_MS = 150;

export const recoverySettings = {
  storeRetryLimitMs: 100,
  storeRetryBaseMs: 1,
  storeRetryMaxMs: 2,
  storeStartGraceMs: 300,
  storeConsistencyMs: CONSISTENCY_MS,
  storeIdleTimeoutMs: 15_000,
  recoveryLimitMs: 15_000,
};

export function openStore({ endpoint }: HostileStore, kind: StoreKind = 'custom'): Store {
  const bucket = { service: 's3', name: 'bucket', endpoint } as const;
  return createStore({
    bucket,
    provider: {
      ...providerOf(bucket, { allowedHosts: ['127.0.0.1'], allowHttp: true }),
      kind,
      capabilities: CAPABILITIES[kind],
    },
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    agents: createHttpAgents({ connections: 4 }),
    connectTimeoutMs: 15_000,
    idleTimeoutMs: 15_000,
  });
}

/** An attempt with all parts uploaded, ready to complete its upload. */
export interface CommittingAttempt {
  readonly uploadId: string;
  /** What it recorded. */
  readonly finish: Finish;
  /** A Complete that is sent once and not recovered, as by a pod that is no longer active. */
  complete(): Promise<unknown>;
  /** Complete with recovery, as by the active pod. */
  publish(): Promise<unknown>;
}

interface Committing {
  readonly parts?: number;
  readonly onConflict?: OnConflict;
  readonly checksum?: PartDigests['kind'];
}

interface HowToRecover {
  readonly bytes?: number;
  /** How long ago the attempt ended. */
  readonly endedAgoMs?: number;
  /** Complete the upload if its parts are these. */
  readonly finish?: Finish;
}

const BODY = Buffer.from('abc');
const PART = { bytes: BODY.length, body: [BODY] };
const DIGESTS = {
  md5: { kind: 'md5', md5: createHash('md5').update(BODY).digest() },
  crc32: { kind: 'crc32', crc32: crc32(BODY) },
} as const satisfies Record<PartDigests['kind'], PartDigests>;

/** The recovery of an attempt that recorded `committing`, at a store that can misbehave. */
export class RecoveryHarness implements AsyncDisposable {
  readonly hostile: HostileStore;
  readonly store: Store;
  readonly left = createUploadsLeft();
  /** Stops a recovery. */
  readonly stopping = new AbortController();
  readonly #settings: typeof recoverySettings;

  private constructor(hostile: HostileStore, store: Store, settings: typeof recoverySettings) {
    this.hostile = hostile;
    this.store = store;
    this.#settings = settings;
  }

  static async start(settings = recoverySettings, kind?: StoreKind): Promise<RecoveryHarness> {
    const hostile = await startHostileStore();
    return new RecoveryHarness(hostile, openStore(hostile, kind), settings);
  }

  /** With one part of three bytes, or with as many as given. */
  async committing({
    parts: count = 1,
    onConflict = 'replace',
    checksum = 'md5',
  }: Committing = {}): Promise<CommittingAttempt> {
    const { store } = this;
    const uploadId = await store.createUpload(KEY, ATTEMPT);
    const upload = { key: KEY, uploadId };
    const parts: Part[] = [];
    for (let number = 1; number <= count; number += 1)
      parts.push(await store.uploadPart(upload, { number, ...PART, digests: DIGESTS[checksum] }));
    const publication = { ...upload, attempt: ATTEMPT, bytes: 3 * count, parts, onConflict };
    return {
      uploadId,
      finish: { parts: count, partsDigest: digestOfParts(parts), onConflict },
      complete: () => store.completeUpload(upload, parts, { onConflict, limitMs: 15_000 }),
      publish: () => publish(this.#deps, publication),
    };
  }

  get #deps(): PublishDeps {
    const { storeConsistencyMs: consistencyMs, storeRetryLimitMs: retryLimitMs } = this.#settings;
    const retryPolicy = () => lookUpPolicy(this.#settings, log);
    const completePolicy = (limitMs: number) =>
      storeRetryPolicy(this.#settings, { log, limit: new RetryLimit(limitMs) });
    const times = { consistencyMs, retryLimitMs, idleTimeoutMs: 15_000 };
    return { store: this.store, log, retryPolicy, completePolicy, ...times };
  }

  recover(
    { uploadId }: Pick<CommittingAttempt, 'uploadId'>,
    { bytes = 3, endedAgoMs = 0, finish }: HowToRecover = {},
  ) {
    const task: RecoveryTask = {
      ...RECOVERY,
      since: new Date(Date.now() - 60_000).toISOString(),
      endedAt: new Date(Date.now() - endedAgoMs).toISOString(),
      endedAgeSeconds: endedAgoMs / 1000,
      bytes,
      uploadState: 'committing',
      uploadId,
      ...(finish && { finish }),
    };
    return recover({
      task,
      store: this.store,
      settings: this.#settings,
      log,
      stopping: this.stopping.signal,
      startedMs: performance.now(),
      onAbortFailed: this.left.abortFailed,
      onCompleteSent: this.left.completeSent,
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
