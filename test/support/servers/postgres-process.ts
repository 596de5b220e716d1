import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, chown, copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
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

/** Nothing survives a crash of the machine, and so each test is fast. */
const OPTIONS = [
  'fsync=off',
  'full_page_writes=off',
  'synchronous_commit=off',
  'shared_buffers=32MB',
  'max_connections=60',
];

export interface PostgresProcess extends AsyncDisposable {
  readonly port: number;
  readonly directory: string;
  /** Ends it like a crash, with all connections. */
  kill(): Promise<void>;
  /** Starts it again with the same data and port. */
  start(): Promise<void>;
  /** Stops and continues its processes: connections stay open without responses. */
  freeze(): void;
  thaw(): void;
}

/** PostgreSQL refuses to run as root. Debian's package creates this user. */
const accountOf = (): { readonly uid: number; readonly gid: number } | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  const line =
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((one) => one.startsWith('postgres:')) ?? '::65534:65534';
  const [, , uid, gid] = line.split(':').map(Number);
  return { uid: uid ?? 65_534, gid: gid ?? 65_534 };
};

const isListening = async (port: number): Promise<boolean> => {
  const client = new pg.Client({ host: '127.0.0.1', port, database: 'postgres', ssl: false, ...SUPERUSER });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } finally {
    await client.end();
  }
};

/** The process and its children, the backends of connections. */
const family = (pid: number): number[] => {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
      .split(' ')
      .filter((one) => one !== ''),
  );
  return [pid, ...children.map(Number)];
};

/** A backend may end after it was listed. */
const sendSignal = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
};

const signalFamily = (child: ChildProcess | undefined, signal: NodeJS.Signals): void => {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  for (const pid of family(child.pid)) sendSignal(pid, signal);
};

/** Files of a new cluster. The server accepts the key of its certificate only from its own user. */
const createFiles = async (): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'zipjobs-postgres-'));
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
};

/** A real PostgreSQL on 127.0.0.1, with and without TLS, for a certificate of `PRIVATE_TLS`. `options` come after ours. */
export const startPostgresProcess = async (options: readonly string[] = []): Promise<PostgresProcess> => {
  const directory = await createFiles();
  const [port = 0] = await freePorts(1);
  const program = join(await postgresFolder(), 'postgres');
  const tls = [`ssl=on`, `ssl_cert_file=${directory}/server.crt`, `ssl_key_file=${directory}/server.key`];
  const settings = [
    ...OPTIONS,
    ...options,
    ...tls,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `port=${port}`,
  ];
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const args = ['-D', join(directory, 'data'), ...settings.flatMap((one) => ['-c', one])];
    child = spawn(program, args, { stdio: 'ignore', cwd: directory, ...accountOf() });
    await once(child, 'spawn');
    await until('PostgreSQL to accept connections', () => isListening(port), { limitMs: 30_000 });
  };
  const kill = async (): Promise<void> => {
    const ending = child;
    child = undefined;
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    signalFamily(ending, 'SIGCONT');
    const exited = once(ending, 'exit');
    // An immediate shutdown: no checkpoint, and the next start recovers.
    ending.kill('SIGQUIT');
    await exited;
  };
  const server: PostgresProcess = {
    port,
    directory,
    kill,
    start,
    freeze: () => signalFamily(child, 'SIGSTOP'),
    thaw: () => signalFamily(child, 'SIGCONT'),
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
};
