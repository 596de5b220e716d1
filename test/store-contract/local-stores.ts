/** Stores that run on this machine, each with a new folder and new keys. */
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ListBucketsCommand } from '@aws-sdk/client-s3';
import { findProgram } from '#test/support/find-program.ts';
import { ensureBinaries } from '#tools/local-cluster/binaries.ts';
import { ClusterError } from '#tools/local-cluster/cluster-error.ts';
import type { StoreAccess } from '#tools/local-cluster/cluster-types.ts';
import { freePorts } from '#tools/local-cluster/free-ports.ts';
import { startMinio } from '#tools/local-cluster/minio.ts';
import { ServerProcess } from '#tools/local-cluster/server-process.ts';
import { createStoreClient, startStore } from '#tools/local-cluster/store.ts';

export interface Place {
  readonly dir: string;
  readonly life: AsyncDisposableStack;
}

/** Starts the store, which stops with `life`. @throws ClusterError if its program is missing or does not start */
export type LocalStore = (place: Place) => Promise<StoreAccess>;

const READY_LIMIT_MS = 60_000;
const REGION = 'us-east-1';

function log(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function requiredProgram(name: string): Promise<string> {
  const path = await findProgram(name);
  if (path === undefined) throw new ClusterError(`The program ${name} is not in the PATH.`);
  return path;
}

interface Server {
  readonly name: string;
  readonly command: (port: number) => readonly string[];
  readonly keys: Pick<StoreAccess, 'accessKeyId' | 'secretAccessKey'>;
}

/** A program of the PATH that is ready when it lists its buckets. */
async function startServer({ dir, life }: Place, { name, command, keys }: Server): Promise<StoreAccess> {
  const { cluster: launcher } = await ensureBinaries(log);
  const [port = 0] = await freePorts(1);
  const access = { endpoint: `http://127.0.0.1:${port}`, region: REGION, ...keys };
  const logPath = join(dir, 'logs', `${name}.log`);
  const [program = '', ...args] = command(port);
  const server = await ServerProcess.start({
    name,
    launcher,
    command: [await requiredProgram(program), ...args],
    logPath,
  });
  life.defer(() => server.kill());
  const client = createStoreClient(access);
  life.defer(() => client.destroy());
  await server.ready(
    () =>
      client.send(new ListBucketsCommand({})).then(
        () => true,
        () => false,
      ),
    READY_LIMIT_MS,
  );
  return access;
}

function newKeys() {
  return {
    accessKeyId: `LOCAL${randomBytes(7).toString('hex').toUpperCase()}`,
    secretAccessKey: randomBytes(30).toString('hex'),
  };
}

async function folderIn(dir: string, name: string): Promise<string> {
  const folder = join(dir, name);
  await mkdir(folder, { recursive: true });
  return folder;
}

export const LOCAL_STORES = {
  versitygw: async ({ dir, life }) => {
    const { cluster: launcher, store: binary } = await ensureBinaries(log);
    return startStore({
      dir,
      binary,
      launcher,
      onProcess: (server) => life.defer(() => server.kill()),
    });
  },
  minio: async ({ dir, life }) => life.use(await startMinio({ dir, log })),
  seaweedfs: async (place) => {
    const keys = newKeys();
    const folder = await folderIn(place.dir, 'seaweedfs');
    const config = join(place.dir, 'seaweedfs.json');
    const credentials = [{ accessKey: keys.accessKeyId, secretKey: keys.secretAccessKey }];
    const actions = ['Admin', 'Read', 'Write', 'List', 'Tagging'];
    await writeFile(config, JSON.stringify({ identities: [{ name: 'contract', credentials, actions }] }));
    const [master = 0, volume = 0, filer = 0] = await freePorts(3);
    return startServer(place, {
      name: 'seaweedfs',
      keys,
      command: (port) => [
        'weed',
        'server',
        '-ip=127.0.0.1',
        `-dir=${folder}`,
        `-master.port=${master}`,
        `-volume.port=${volume}`,
        '-master.volumeSizeLimitMB=64',
        '-filer',
        `-filer.port=${filer}`,
        '-s3',
        `-s3.port=${port}`,
        `-s3.config=${config}`,
      ],
    });
  },
  rclone: async (place) => {
    const keys = newKeys();
    const folder = await folderIn(place.dir, 'rclone');
    return startServer(place, {
      name: 'rclone',
      keys,
      command: (port) => [
        'rclone',
        'serve',
        's3',
        folder,
        '--addr',
        `127.0.0.1:${port}`,
        '--auth-key',
        `${keys.accessKeyId},${keys.secretAccessKey}`,
      ],
    });
  },
} satisfies Readonly<Record<string, LocalStore>>;
