import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, chown, copyFile, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { errorCode } from '#runtime/errors.ts';
import { freePorts } from '#tools/local-cluster/free-ports.ts';
import { postgresFolder } from '../processes/require-programs.ts';
import { until } from '../until.ts';
import { PRIVATE_TLS } from './private-tls.ts';

export const SUPERUSER = { user: 'postgres', password: 'superuser-password' } as const;

/** Commits survive a crash of the server, and nothing survives one of the machine, so each test is fast. */
const OPTIONS = ['fsync=off', 'full_page_writes=off', 'shared_buffers=32MB', 'max_connections=60'];

export interface PostgresProcess extends AsyncDisposable {
  readonly port: number;
  readonly directory: string;
  /** Ends it like a crash, with all connections. */
  kill(): Promise<void>;
  /** Starts it again with the same data and port, unless it runs. */
  start(): Promise<void>;
  /** Stops and continues its processes: connections stay open without responses. */
  freeze(): void;
  thaw(): void;
  /** Lets this process end while the server runs. */
  unref(): void;
}

/** PostgreSQL refuses to run as root. Debian's package creates this user. */
function accountOf(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const line =
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((one) => one.startsWith('postgres:')) ?? '::65534:65534';
  const [, , uid, gid] = line.split(':').map(Number);
  return { uid: uid ?? 65_534, gid: gid ?? 65_534 };
}

async function isListening(port: number): Promise<boolean> {
  const client = new pg.Client({ host: '127.0.0.1', port, database: 'postgres', ssl: false, ...SUPERUSER });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } finally {
    await client.end();
  }
}

/** The process and its children, the backends of connections. */
function family(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
      .split(' ')
      .filter((one) => one !== ''),
  );
  return [pid, ...children.map(Number)];
}

/** A backend may end after it was listed. */
function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

function signalFamily(child: ChildProcess | undefined, signal: NodeJS.Signals): void {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  for (const pid of family(child.pid)) sendSignal(pid, signal);
}

const MEMORY = '/dev/shm';
/** A container may have little of it. */
const MEMORY_BYTES = 2 ** 30;

/** A folder in memory if there is room: a database has thousands of files, and some disks take a millisecond to create one. */
async function quickFolder(): Promise<string> {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize > MEMORY_BYTES ? MEMORY : tmpdir();
}

/** Files of a new cluster. The server accepts the key of its certificate only from its own user. */
async function createFiles(isOnDisk: boolean): Promise<string> {
  const directory = await mkdtemp(join(isOnDisk ? tmpdir() : await quickFolder(), 'zipjobs-postgres-'));
  const account = accountOf();
  const files = { 'superuser-password': SUPERUSER.password, 'server.crt': PRIVATE_TLS.cert };
  for (const [name, text] of Object.entries(files))
    await writeFile(join(directory, name), text, { mode: 0o600 });
  await copyFile(PRIVATE_TLS.keyPath, join(directory, 'server.key'));
  await chmod(join(directory, 'server.key'), 0o600);
  if (account !== undefined)
    for (const name of ['', ...Object.keys(files), 'server.key'])
      await chown(join(directory, name), account.uid, account.gid);
  const args = [
    '--pgdata',
    join(directory, 'data'),
    '--username',
    SUPERUSER.user,
    '--no-sync',
    '--encoding=UTF8',
    '--locale=C',
  ];
  await promisify(execFile)(
    join(await postgresFolder(), 'initdb'),
    [...args, '--auth=scram-sha-256', `--pwfile=${join(directory, 'superuser-password')}`],
    { ...account, cwd: directory },
  );
  return directory;
}

export interface PostgresOptions {
  /** Settings of the server such as `fsync=on`, which come after ours. */
  readonly settings?: readonly string[];
  /** For measurements. */
  readonly isOnDisk?: boolean;
}

/** A real PostgreSQL on 127.0.0.1, with and without TLS, for a certificate of `PRIVATE_TLS`. */
export async function startPostgresProcess(options: PostgresOptions = {}): Promise<PostgresProcess> {
  const { settings: own = [], isOnDisk = false } = options;
  const directory = await createFiles(isOnDisk);
  const [port = 0] = await freePorts(1);
  const program = join(await postgresFolder(), 'postgres');
  const tls = [`ssl=on`, `ssl_cert_file=${directory}/server.crt`, `ssl_key_file=${directory}/server.key`];
  const settings = [
    ...OPTIONS,
    ...own,
    ...tls,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `port=${port}`,
  ];
  let child: ChildProcess | undefined;
  let keepsAlive = true;
  function isRunning(): boolean {
    return child?.exitCode === null && child.signalCode === null;
  }
  async function start(): Promise<void> {
    if (isRunning()) return;
    const args = ['-D', join(directory, 'data'), ...settings.flatMap((one) => ['-c', one])];
    child = spawn(program, args, { stdio: 'ignore', cwd: directory, ...accountOf() });
    await once(child, 'spawn');
    await until('PostgreSQL to accept connections', () => isListening(port), { limitMs: 30_000 });
    if (!keepsAlive) child.unref();
  }
  async function kill(): Promise<void> {
    const ending = child;
    child = undefined;
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    signalFamily(ending, 'SIGCONT');
    ending.ref();
    const exited = once(ending, 'exit');
    // An immediate shutdown: no checkpoint, and the next start recovers.
    ending.kill('SIGQUIT');
    await exited;
  }
  const server: PostgresProcess = {
    port,
    directory,
    kill,
    start,
    freeze: () => signalFamily(child, 'SIGSTOP'),
    thaw: () => signalFamily(child, 'SIGCONT'),
    unref: () => {
      keepsAlive = false;
      child?.unref();
    },
    [Symbol.asyncDispose]: async () => {
      await kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
  try {
    await start();
    return server;
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}
