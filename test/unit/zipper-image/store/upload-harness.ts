import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { createGuardedHttpAgents } from '#runtime/egress/http-agents.ts';
import type { AppError } from '#runtime/errors.ts';
import { createLogger } from '#runtime/log/log.ts';
import type { StoreKind } from '#runtime/store/store-location.ts';
import {
  type HostileStore,
  type SeenRequest,
  startHostileStore,
} from '#test/support/servers/hostile-store.ts';
import { type Provider, providerOf } from '#zipper-image/store/providers.ts';
import { createStore, type Store, type StoreOptions } from '#zipper-image/store/store.ts';
import { CAPABILITIES } from '#zipper-image/store/store-capabilities.ts';
import { createUpload, type Upload, type UploadDeps } from '#zipper-image/store/upload.ts';
import { createUploadsLeft } from '#zipper-image/store/uploads-left.ts';

export const PART = 64 * 1024;
export const KEY = 'dir/ar chive.zip';
const log = createLogger('test', { level: 'silent' });
export const settings = {
  partSizeBytes: PART,
  storeBufferBytes: 4 * PART,
  maxArchiveBytes: 2 ** 40,
  storeRetryLimitMs: 10_000,
  storeRetryBaseMs: 1,
  storeRetryMaxMs: 2,
  storeStartGraceMs: 300,
  storeConsistencyMs: 50,
  storeIdleTimeoutMs: 5_000,
};
/** For stores that never recover. */
export const briefly = { ...settings, storeRetryLimitMs: 100 };
/** Five full parts and a smaller one. */
export const body = randomBytes(5 * PART + 1234);
const OLD = { body: Buffer.from('older'), metadata: { 'zip-attempt': 'pod-0' }, etag: '"old"' };

function localProvider(kind: StoreKind, endpoint: string): Provider {
  return {
    ...providerOf(
      { service: 's3', name: 'bucket', endpoint },
      { allowedHosts: [new URL(endpoint).host], allowHttp: true },
    ),
    kind,
    capabilities: CAPABILITIES[kind],
  };
}

export interface UploadHarnessOptions
  extends Partial<Pick<StoreOptions, 'idleTimeoutMs' | 'connectTimeoutMs' | 'credentials'>> {
  /** The kind of store that the hostile store is treated as. */
  readonly kind?: StoreKind;
  /** Default: the hostile store. */
  readonly endpoint?: string;
}

/** An upload to a store that can inject faults, with an older object at its key. */
export class UploadHarness implements AsyncDisposable {
  readonly hostile: HostileStore;
  readonly store: Store;
  readonly failures: Error[] = [];
  readonly left = createUploadsLeft();

  private constructor(hostile: HostileStore, store: Store) {
    this.hostile = hostile;
    this.store = store;
  }

  static async start(options: UploadHarnessOptions = {}): Promise<UploadHarness> {
    const hostile = await startHostileStore();
    const { kind = 'custom', endpoint = hostile.endpoint, ...given } = options;
    hostile.objects.set(KEY, OLD);
    const policy = createEgressPolicy({ allowCidrs: ['127.0.0.0/8'], denyCidrs: [] });
    const store = createStore({
      bucket: { service: 's3', name: 'bucket' },
      provider: localProvider(kind, endpoint),
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
      agents: createGuardedHttpAgents(policy, { connections: 4 }),
      connectTimeoutMs: 10_000,
      idleTimeoutMs: 5_000,
      ...given,
    });
    return new UploadHarness(hostile, store);
  }

  open(change: Partial<UploadDeps> = {}): Promise<Upload> {
    return createUpload({ ...this.deps(), ...change });
  }

  deps(): UploadDeps {
    return {
      store: this.store,
      settings,
      log,
      key: KEY,
      attempt: 'pod-1',
      onConflict: 'replace',
      signal: new AbortController().signal,
      onFailure: (error) => this.failures.push(error),
      uploadsLeft: this.left,
    };
  }

  /** An upload with all parts sent. */
  async filled(change: Partial<UploadDeps> = {}): Promise<Upload> {
    const upload = await this.open(change);
    await fill(upload);
    return upload;
  }

  count(operation: SeenRequest['operation']): number {
    return this.hostile.requests.filter((request) => request.operation === operation).length;
  }

  /** The complete archive is at the key, and no upload is open. */
  expectPublished(bytes: Buffer = body): void {
    const object = this.hostile.objects.get(KEY);
    expect(object?.body.equals(bytes)).to.equal(true);
    expect(object?.metadata).to.deep.equal({ 'zip-attempt': 'pod-1' });
    expect(this.hostile.uploads.size).to.equal(0);
  }

  /** The older object is unchanged, and no upload is open. */
  expectNothingLeft(): void {
    expect(this.hostile.objects.get(KEY)).to.equal(OLD);
    expect([this.hostile.objects.size, this.hostile.uploads.size]).to.deep.equal([1, 0]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.store.close();
    await this.hostile[Symbol.asyncDispose]();
  }
}

/** Writes all bytes in chunks and returns the number of parts. */
export async function fill(upload: Upload, bytes: Buffer = body, chunk = 10_000): Promise<number> {
  for (let at = 0; at < bytes.length; at += chunk) await upload.sink.write(bytes.subarray(at, at + chunk));
  return upload.finishParts();
}

export async function failureOf(work: Promise<unknown>): Promise<AppError> {
  try {
    await work;
  } catch (error) {
    return error as AppError;
  }
  throw new Error('it did not fail');
}
