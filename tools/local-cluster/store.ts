import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
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
}

const READY_LIMIT_MS = 20_000;
const DEFAULT_REGION = 'us-east-1';

/** Starts an S3 server that stores objects in a folder. Metadata is in a second folder, so the file system needs no xattrs. */
export async function startStore(options: StoreOptions): Promise<StoreAccess> {
  const root = join(options.dir, 'store', 'objects');
  const sidecar = join(options.dir, 'store', 'metadata');
  await Promise.all([root, sidecar].map((path) => mkdir(path, { recursive: true })));
  const { region = DEFAULT_REGION } = options;
  const [port = 0] = await freePorts(1);
  const endpoint = `http://127.0.0.1:${port}`;
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
      'posix',
      '--sidecar',
      sidecar,
      root,
    ],
    logPath: join(options.dir, 'logs', 'versitygw.log'),
    env: { ROOT_ACCESS_KEY: accessKeyId, ROOT_SECRET_KEY: secretAccessKey, VGW_REGION: region },
  });
  options.onProcess(process);
  await process.ready(async () => (await fetch(`${endpoint}/healthz`)).ok, READY_LIMIT_MS);
  return { endpoint, accessKeyId, secretAccessKey, region };
}

export async function createBucket(store: StoreAccess, name: string): Promise<void> {
  const { endpoint, region, accessKeyId, secretAccessKey } = store;
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });
  try {
    await client.send(new CreateBucketCommand({ Bucket: name }));
  } finally {
    client.destroy();
  }
}
