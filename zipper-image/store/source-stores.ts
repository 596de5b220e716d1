/** The stores of the buckets that contain files of a job. Loaded only for a job with such files. */
import { S3Client } from '@aws-sdk/client-s3';
import type { FileEntry } from '#crds/zip-job.ts';
import type { TaskSourceBucket } from '#crds/zipper-task.ts';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { createGuardedAgent } from '#runtime/egress/guarded-agent.ts';
import type { Proxy } from '#runtime/egress/proxy/proxy.ts';
import { toError } from '#runtime/errors.ts';
import { isAtR2, locateStore, type StoreLocation, type StoreRules } from '#runtime/store/store-location.ts';
import type { Trust } from '#runtime/tls/trust.ts';
import { bucketObjectOf, zipBucketOf } from '#runtime/zip-request/bucket-url.ts';
import type { SourceFile, SourceStore } from '../sources/bucket-source.ts';
import { notListed } from '../sources/hops.ts';
import type { SourceFault } from '../sources/source-error.ts';
import type { RenewableCredentials } from './session.ts';
import { createRequestSigner } from './signed-requests.ts';
import { type StoreEgressSettings, storeEgressPolicy } from './store-egress-policy.ts';

export interface SourceStoresDeps {
  readonly buckets: readonly TaskSourceBucket[];
  readonly rules: StoreRules;
  readonly settings: StoreEgressSettings & {
    readonly storeAllowedHosts: readonly string[];
    readonly storeConnectTimeoutMs: number;
    readonly sourcePerHostConnections: number;
  };
  /** Includes the authorities of the bucket. @throws StoreError for an invalid bundle */
  readonly trustOf: (bucket: TaskSourceBucket) => Trust;
  /** Users choose the authorities of a bucket, and the operator the proxy. */
  readonly proxyTrust: Trust;
  readonly proxy: Proxy | undefined;
  /** Called once for each bucket that is used, with its position in the task. */
  readonly openCredentials: (bucket: TaskSourceBucket, index: number) => Promise<RenewableCredentials>;
}

export interface SourceStores extends AsyncDisposable {
  /** The files, with how each object is requested. */
  locate(files: readonly FileEntry[]): readonly SourceFile[];
}

/** AWS is at the addresses that its names have, which may be private ones of a VPC. Users choose no host there. */
const ANY_ADDRESS = { allowCidrs: ['0.0.0.0/0', '::/0'], denyCidrs: [] };

function agentOf({ guarded, endpoint }: StoreLocation, bucket: TaskSourceBucket, deps: SourceStoresDeps) {
  const { settings, proxy, proxyTrust } = deps;
  const policy = guarded
    ? storeEgressPolicy(settings, settings.storeAllowedHosts, endpoint)
    : createEgressPolicy(ANY_ADDRESS);
  return createGuardedAgent(policy, {
    connections: settings.sourcePerHostConnections,
    connectTimeoutMs: settings.storeConnectTimeoutMs,
    trust: deps.trustOf(bucket),
    proxyTrust,
    proxy,
  });
}

/** R2 does not know it. */
function checksumMode(location: StoreLocation): Record<string, string> {
  return isAtR2(location) ? {} : { 'x-amz-checksum-mode': 'ENABLED' };
}

interface OpenedStore extends SourceStore {
  urlOf(key: string): URL;
}

function openStore(
  bucket: TaskSourceBucket,
  index: number,
  deps: SourceStoresDeps,
): OpenedStore & { close(): Promise<void> } {
  const location = locateStore(bucket, deps.rules);
  let opened: Promise<RenewableCredentials> | undefined;
  function credentials(): Promise<RenewableCredentials> {
    return (opened ??= deps.openCredentials(bucket, index));
  }
  const agent = agentOf(location, bucket, deps);
  const client = new S3Client({
    region: location.region,
    // Otherwise the client would keep credentials until five minutes before they expire.
    credentials: async () => ({ ...(await (await credentials()).current()), expiration: new Date() }),
  });
  const requests = createRequestSigner(client, bucket.name, location);
  // Neither the range nor its condition has to be signed.
  const headers = checksumMode(location);
  let skewMs = 0;
  return {
    zipBucket: bucket.zipBucket,
    agent,
    credentials,
    urlOf: (key) => new URL(`${requests.origin}${requests.pathOf(key)}`),
    setClock: (date) => {
      const ms = Date.parse(date);
      if (!Number.isNaN(ms)) skewMs = ms - Date.now();
    },
    sign: async ({ pathname: path }) => {
      const date = new Date(Date.now() + skewMs);
      const signed = await requests.sign({ method: 'GET', path, query: {}, headers }, date);
      const { host: _host, ...rest } = signed.headers;
      return rest;
    },
    close: async () => {
      client.destroy();
      await agent.destroy();
    },
  };
}

function misconfigured(text: string): SourceFault {
  return { code: 'SourceBucketMisconfigured', text, retryable: false };
}

type Found = ReturnType<typeof openStore> | { readonly fault: SourceFault };

/** Connects to nothing before the first request of a file. */
export function createSourceStores(deps: SourceStoresDeps): SourceStores {
  const stores = new Map<string, Found>();
  function find(zipBucket: string): Found {
    const known = stores.get(zipBucket);
    if (known) return known;
    const index = deps.buckets.findIndex((bucket) => bucket.zipBucket === zipBucket);
    const bucket = deps.buckets[index];
    if (!bucket) return { fault: notListed(`bucket ${zipBucket}`) };
    let store: Found;
    try {
      store = openStore(bucket, index, deps);
    } catch (error) {
      store = { fault: misconfigured(`bucket ${zipBucket}: ${toError(error).message}`) };
    }
    stores.set(zipBucket, store);
    return store;
  }
  function locate(file: FileEntry): SourceFile {
    const object = bucketObjectOf(file.url);
    if (!object) return file;
    const zipBucket = zipBucketOf(object);
    const store = find(zipBucket);
    if ('fault' in store) return { ...file, bucket: store };
    const url = store.urlOf(object.key);
    return { ...file, url: url.href, bucket: { store, url } };
  }
  return {
    locate: (files) => files.map(locate),
    [Symbol.asyncDispose]: async () => {
      const open = [...stores.values()].filter((store) => 'close' in store);
      await Promise.all(open.map((store) => store.close()));
    },
  };
}
