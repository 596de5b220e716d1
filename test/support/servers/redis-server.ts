import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePorts } from '#tools/local-cluster/free-ports.ts';
import { until } from '../until.ts';

const CERTIFICATES = join(import.meta.dirname, 'certificates');

export interface RedisServerOptions {
  readonly password?: string;
  /** Uses TLS with the self-signed certificate `loopback.pem`. */
  readonly tls?: boolean;
  /** More arguments, such as `--maxmemory 1mb` in two elements. */
  readonly settings?: readonly string[];
}

/** A real redis-server on loopback that stores nothing on disk. */
export interface RedisServer extends AsyncDisposable {
  readonly url: string;
  /** Certificate authority of its certificate. */
  readonly caPath: string;
  /** Kills it, like a crash. */
  kill(): Promise<void>;
  /** Starts it again, empty, on the same port. */
  start(): Promise<void>;
  /** Stops and continues the process: connections stay open without responses. */
  freeze(): void;
  thaw(): void;
}

function argumentsOf(port: number, { password, tls = false, settings = [] }: RedisServerOptions): string[] {
  return [
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    // A replica keeps what it receives in memory. As a file in the working directory, the next server would load it.
    '--repl-diskless-load',
    'swapdb',
    ...(tls ? ['--port', '0', '--tls-port', `${port}`, '--tls-auth-clients', 'no'] : ['--port', `${port}`]),
    ...(tls
      ? [
          '--tls-cert-file',
          join(CERTIFICATES, 'loopback.pem'),
          '--tls-key-file',
          join(CERTIFICATES, 'server.key'),
        ]
      : []),
    ...(tls ? ['--tls-ca-cert-file', join(CERTIFICATES, 'loopback.pem')] : []),
    ...(password === undefined ? [] : ['--requirepass', password]),
    ...settings,
  ];
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

async function spawnRedis(args: readonly string[]): Promise<ChildProcess> {
  const child = spawn('redis-server', args, { stdio: 'ignore' });
  await once(child, 'spawn');
  return child;
}

export async function startRedisServer(options: RedisServerOptions = {}): Promise<RedisServer> {
  const [port = 0] = await freePorts(1);
  let child: ChildProcess | undefined;
  async function kill(): Promise<void> {
    const ending = child;
    child = undefined;
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    const exited = once(ending, 'exit');
    ending.kill('SIGKILL');
    await exited;
  }
  async function start(): Promise<void> {
    child = await spawnRedis(argumentsOf(port, options));
    await until('redis-server to listen', () => isOpen(port), { limitMs: 10_000 });
  }
  await start();
  return {
    url: `${options.tls === true ? 'rediss' : 'redis'}://127.0.0.1:${port}`,
    caPath: join(CERTIFICATES, 'loopback.pem'),
    kill,
    start,
    freeze: () => child?.kill('SIGSTOP'),
    thaw: () => child?.kill('SIGCONT'),
    [Symbol.asyncDispose]: kill,
  };
}
