import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { ListedFile } from '#crds/zip-job.ts';
import { CONTRACT_VERSION, fileListMountName } from '#crds/zipper-contract.ts';
import type { ArchiveTask } from '#crds/zipper-task.ts';
import { imageProcess } from '#tools/local-cluster/image-process.ts';
import { splitZipperEnv } from '../builders/zipper-env.ts';
import { type StatusServer, startStatusServer } from '../servers/status-server.ts';
import { certificateText } from '../servers/tls-front.ts';
import { compileCacheEnv } from './compile-cache-env.ts';

const ROOT = join(import.meta.dirname, '../../..');
const IMAGE = 'zipper';

export interface ZipperTarget {
  readonly endpoint: string;
  readonly bucket: string;
  readonly key: string;
  readonly accessKeyId?: string;
  readonly secretAccessKey?: string;
}

export interface ZipperJob extends ZipperTarget {
  readonly files: readonly ListedFile[];
  /** Token of the pod's service account. */
  readonly token?: string;
  readonly task?: Partial<ArchiveTask>;
  /** Credentials of the source buckets of the task, in its order. */
  readonly sourceKeys?: readonly Pick<ZipperTarget, 'accessKeyId' | 'secretAccessKey'>[];
  /** Its variables, and the settings of its task by their names for operators. */
  readonly env?: Readonly<Record<string, string>>;
}

const filledCaches = new Map<string, Promise<unknown>>();

/** Like the build of the image. */
async function fillCompileCache(env: Readonly<Record<string, string>>): Promise<void> {
  const { NODE_COMPILE_CACHE: folder = '' } = env;
  const args = [join(ROOT, 'zipper-image/warm-up/main.ts')];
  const filled = filledCaches.get(folder) ?? promisify(execFile)(process.execPath, args, { env });
  filledCaches.set(folder, filled);
  await filled;
}

/** The command that starts one zipper process. */
export interface ZipperCommand {
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly directory: string;
}

/**
 * The environment of zipper processes without a cluster, started like their image: a scripted API server that
 * lets every pod be active, and the folders that a kubelet would mount.
 */
export class ZipperHost implements AsyncDisposable {
  readonly directory: string;
  readonly status: StatusServer;
  #jobs = 0;

  private constructor(directory: string, status: StatusServer) {
    this.directory = directory;
    this.status = status;
  }

  static async start(): Promise<ZipperHost> {
    const status = await startStatusServer({
      key: certificateText('server.key'),
      cert: certificateText('loopback.pem'),
    });
    const directory = await mkdtemp(join(tmpdir(), 'zipjobs-zipper-'));
    await fillCompileCache({ ...imageProcess(IMAGE, directory).env, ...compileCacheEnv() });
    return new ZipperHost(directory, status);
  }

  /** Writes the mounted files of the pod of a job, and returns the command that starts its process. */
  async prepare(job: ZipperJob): Promise<ZipperCommand> {
    this.#jobs += 1;
    const directory = join(this.directory, String(this.#jobs));
    function at(name: string): string {
      return join(directory, name);
    }
    await Promise.all(['bucket', 'account', 'files'].map((name) => mkdir(at(name), { recursive: true })));
    const { env, settings } = splitZipperEnv(job.env ?? {});
    const list = Buffer.from(`${job.files.map((file) => JSON.stringify(file)).join('\n')}\n`);
    const { sourceKeys = [] } = job;
    await Promise.all(
      sourceKeys.map(async ({ accessKeyId = 'id', secretAccessKey = 'secret' }, index) => {
        const folder = at(`sources/${index}`);
        await mkdir(folder, { recursive: true });
        await writeFile(join(folder, 'accessKeyId'), accessKeyId);
        await writeFile(join(folder, 'secretAccessKey'), secretAccessKey);
      }),
    );
    await Promise.all([
      writeFile(at('account/ca.crt'), certificateText('loopback.pem')),
      writeFile(at('account/token'), job.token ?? 'token'),
      writeFile(at('bucket/accessKeyId'), job.accessKeyId ?? 'id'),
      writeFile(at('bucket/secretAccessKey'), job.secretAccessKey ?? 'secret'),
      writeFile(join(at('files'), fileListMountName(0)), gzipSync(list)),
      writeFile(at('task.json'), JSON.stringify({ ...taskOf(job, list), settings })),
    ]);
    const image = imageProcess(IMAGE, this.directory);
    return {
      directory,
      command: [process.execPath, ...image.args],
      env: { ...image.env, ...compileCacheEnv(), ...this.#env(at), ...env },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.status[Symbol.asyncDispose]();
    await rm(this.directory, { recursive: true, force: true });
  }

  #env(at: (name: string) => string): Record<string, string> {
    return {
      TASK_FILE: at('task.json'),
      BUCKET_DIR: at('bucket'),
      SOURCES_DIR: at('sources'),
      FILES_DIR: at('files'),
      SERVICE_ACCOUNT_DIR: at('account'),
      TERMINATION_LOG: at('termination'),
      POD_NAME: 'pod',
      POD_UID: `pod-${this.#jobs}`,
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: String(this.status.port),
      EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
      STORE_ALLOW_CIDRS: '127.0.0.0/8',
      STORE_ALLOWED_HOSTS: '127.0.0.1',
      STORE_ALLOW_HTTP: 'true',
    };
  }
}

function taskOf(job: ZipperJob, list: Buffer): ArchiveTask {
  return {
    contractVersion: CONTRACT_VERSION,
    mode: 'archive',
    bucket: { service: 's3', name: job.bucket, endpoint: job.endpoint },
    namespace: 'shop',
    zipJob: 'zip-1',
    zipJobUid: 'uid-1',
    key: job.key,
    compression: 'store',
    onConflict: 'replace',
    defaultModificationTime: '2026-01-02T03:04:06Z',
    files: {
      from: 'mounted',
      chunks: 1,
      count: job.files.length,
      sha256: createHash('sha256').update(list).digest('hex'),
    },
    startDeadlineSeconds: 30,
    activeDeadlineSeconds: 3600,
    ...job.task,
  };
}

/** Starts it with its output piped. */
export function startZipper({ command, env }: ZipperCommand): ChildProcess {
  const [program, ...args] = command;
  return spawn(program, args, { env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
}

export interface EndedZipper {
  readonly code: number | null;
  /** All lines of standard output and standard error. */
  readonly output: string;
  /** JSON of its termination message. */
  readonly message: string;
}

/** Waits until a process ends that writes its termination message to this folder. */
export async function untilZipperEnds(child: ChildProcess, directory: string): Promise<EndedZipper> {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output, message: await readFile(join(directory, 'termination'), 'utf8') };
}

export function runZipper(command: ZipperCommand): Promise<EndedZipper> {
  return untilZipperEnds(startZipper(command), command.directory);
}
