import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { freePorts } from '#tools/local-cluster/free-ports.ts';
import { imageProcess } from '#tools/local-cluster/image-process.ts';
import { until } from '../until.ts';
import { RELEASE_NAMESPACE } from './installation.ts';

const HOST = '127.0.0.1';

export interface ServerProcessOptions {
  /** URL of the API server for the process, such as a proxy. */
  readonly apiServerUrl?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A server, started like its image but outside the cluster, so that a test can kill it. */
export interface ServerProcess extends AsyncDisposable {
  readonly url: string;
  readonly adminUrl: string;
  readonly pid: number;
  /** The lines that it has logged so far. */
  readonly lines: readonly string[];
  readonly hasEnded: () => boolean;
  /** Sends a signal and resolves with the exit code (null when a signal ended it). */
  end(signal: NodeJS.Signals): Promise<number | null>;
  /** Sends SIGKILL now. */
  kill(): void;
  isReady(): Promise<boolean>;
}

export interface ServerImage {
  /** Target of the Dockerfile, for error messages too. */
  readonly folder: 'api' | 'dashboard';
  /** Its permissions are those of this account. */
  readonly serviceAccount: string;
  /** Settings that depend on its URL. */
  readonly envOf?: (url: string) => Readonly<Record<string, string>>;
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve(child.exitCode)
    : once(child, 'exit').then(([code]) => (typeof code === 'number' ? code : null));
}

async function isOk(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

/** Starts it and waits until it is ready. */
export async function startServerProcess(
  cluster: Cluster,
  { folder, serviceAccount, envOf = () => ({}) }: ServerImage,
  options: ServerProcessOptions,
): Promise<ServerProcess> {
  const directory = await mkdtemp(join(tmpdir(), `zipjobs-${folder}-`));
  const { stdout } = await cluster.kubectl(['create', 'token', serviceAccount, '-n', RELEASE_NAMESPACE]);
  await writeFile(join(directory, 'token'), stdout.trim(), { mode: 0o600 });
  await writeFile(join(directory, 'ca.crt'), cluster.apiServer.ca);
  const { args, env } = imageProcess(folder, directory);
  const apiServer = new URL(options.apiServerUrl ?? cluster.apiServer.url);
  const [port = 0, adminPort = 0] = await freePorts(2);
  const url = `http://${HOST}:${port}`;
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...env,
      HOST,
      PORT: String(port),
      ADMIN_PORT: String(adminPort),
      SERVICE_ACCOUNT_DIR: directory,
      KUBERNETES_SERVICE_HOST: apiServer.hostname,
      KUBERNETES_SERVICE_PORT: apiServer.port,
      ...envOf(url),
      ...options.env,
    },
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const adminUrl = `http://${HOST}:${adminPort}`;
  function hasEnded(): boolean {
    return child.exitCode !== null || child.signalCode !== null;
  }
  function isReady(): Promise<boolean> {
    return isOk(`${adminUrl}/readyz`);
  }
  function end(signal: NodeJS.Signals): Promise<number | null> {
    child.kill(signal);
    return exitOf(child);
  }
  const server: ServerProcess = {
    url,
    adminUrl,
    pid: child.pid ?? 0,
    lines,
    hasEnded,
    end,
    kill: () => child.kill('SIGKILL'),
    isReady,
    [Symbol.asyncDispose]: async () => {
      await end('SIGKILL');
      await rm(directory, { recursive: true, force: true });
    },
  };
  try {
    await until(`the ${folder} to be ready`, () => hasEnded() || isReady());
    if (hasEnded()) throw new Error(`the ${folder} exited during its start:\n${lines.join('\n')}`);
    return server;
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}
