import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { Agent as HttpsAgent } from 'node:https';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { Agent, request } from 'undici';
import type { StoreAccess } from './cluster-types.ts';
import { freePorts } from './free-ports.ts';
import { ServerProcess } from './server-process.ts';

export interface StoreOptions {
  readonly dir: string;
  readonly binary: string;
  /** The cluster program, which ends the server when this process ends. */
  readonly launcher: string;
  readonly onProcess: (process: ServerProcess) => void;
  /** Default: us-east-1. */
  readonly region?: string;
  /** Default: a free one. */
  readonly port?: number;
  /** Speaks HTTPS instead of HTTP. */
  readonly tls?: StoreTls;
}

/** The certificate is for 127.0.0.1. */
export interface StoreTls {
  readonly certificatePath: string;
  readonly keyPath: string;
  /** PEM of the authority that signed the certificate. */
  readonly authority: string;
}

const READY_LIMIT_MS = 20_000;
const DEFAULT_REGION = 'us-east-1';

/** Starts an S3 server with new keys that stores objects in a folder. Metadata is in a second folder, so the file system needs no xattrs. */
export async function startStore(options: StoreOptions): Promise<StoreAccess> {
  const root = join(options.dir, 'store', 'objects');
  const sidecar = join(options.dir, 'store', 'metadata');
  await Promise.all([root, sidecar].map((path) => mkdir(path, { recursive: true })));
  const { region = DEFAULT_REGION, tls } = options;
  const port = options.port ?? (await freePorts(1))[0];
  const endpoint = `${tls ? 'https' : 'http'}://127.0.0.1:${port}`;
  const accessKeyId = `LOCAL${randomBytes(8).toString('hex').toUpperCase()}`;
  const secretAccessKey = randomBytes(30).toString('base64url');
  const process = await ServerProcess.start({
    name: 'versitygw',
    launcher: options.launcher,
    command: [
      options.binary,
      '--port',
      `127.0.0.1:${port}`,
      '--health',
      '/healthz',
      ...(tls ? ['--cert', tls.certificatePath, '--key', tls.keyPath] : []),
      'posix',
      '--sidecar',
      sidecar,
      root,
    ],
    logPath: join(options.dir, 'logs', 'versitygw.log'),
    env: { ROOT_ACCESS_KEY: accessKeyId, ROOT_SECRET_KEY: secretAccessKey, VGW_REGION: region },
  });
  options.onProcess(process);
  const store = { endpoint, accessKeyId, secretAccessKey, region, ...(tls && { authority: tls.authority }) };
  await untilHealthy(process, store, { path: '/healthz', limitMs: READY_LIMIT_MS });
  return store;
}

/** Waits until the server responds with 200 at this path. */
export async function untilHealthy(
  process: ServerProcess,
  { endpoint, authority }: StoreAccess,
  { path, limitMs }: { readonly path: string; readonly limitMs: number },
): Promise<void> {
  const dispatcher = new Agent(authority === undefined ? {} : { connect: { ca: authority } });
  try {
    await process.ready(async () => {
      const { statusCode, body } = await request(`${endpoint}${path}`, { dispatcher });
      await body.dump();
      return statusCode === 200;
    }, limitMs);
  } finally {
    await dispatcher.close();
  }
}

/** A client that trusts the certificate of the store. The caller destroys it. */
export function createStoreClient({ endpoint, region, authority, ...credentials }: StoreAccess): S3Client {
  const requestHandler = { httpsAgent: new HttpsAgent({ keepAlive: true, ca: authority }) };
  return new S3Client({ endpoint, region, forcePathStyle: true, credentials, requestHandler });
}

export async function createBucket(store: StoreAccess, name: string): Promise<void> {
  const client = createStoreClient(store);
  try {
    await client.send(new CreateBucketCommand({ Bucket: name }));
  } finally {
    client.destroy();
  }
}
