import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { freePorts } from '#tools/local-cluster/free-ports.ts';
import { until } from '../until.ts';
import { imageProcess } from './image-process.ts';
import { RELEASE_NAMESPACE } from './installation.ts';

const DOCKERFILE = 'api/Dockerfile';
const HOST = '127.0.0.1';

export interface ApiProcessOptions {
  /** URL of the API server for the process, such as a proxy. */
  readonly apiServerUrl?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * The API, started like its image with the permissions of the installed one, but outside the cluster, so that
 * a test can kill it.
 */
export interface ApiProcess extends AsyncDisposable {
  readonly url: string;
  readonly adminUrl: string;
  readonly pid: number;
  /** URL of the dashboard, if the env enables it. */
  readonly dashboardUrl: string;
  /** The lines that it has logged so far. */
  readonly lines: readonly string[];
  readonly hasEnded: () => boolean;
  /** Sends a signal and resolves with the exit code (null when a signal ended it). */
  end(signal: NodeJS.Signals): Promise<number | null>;
  /** Sends SIGKILL now. */
  kill(): void;
  isReady(): Promise<boolean>;
}

const writeIdentity = async (cluster: Cluster, directory: string): Promise<void> => {
  const { stdout } = await cluster.kubectl(['create', 'token', 'zipjobs-api', '-n', RELEASE_NAMESPACE]);
  await writeFile(join(directory, 'token'), stdout.trim(), { mode: 0o600 });
  await writeFile(join(directory, 'ca.crt'), cluster.apiServer.ca);
};

const exitOf = (child: ChildProcess): Promise<number | null> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve(child.exitCode)
    : once(child, 'exit').then(([code]) => (typeof code === 'number' ? code : null));

const isOk = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
};

/** Starts it and waits until it is ready. */
export const startApiProcess = async (
  cluster: Cluster,
  options: ApiProcessOptions = {},
): Promise<ApiProcess> => {
  const directory = await mkdtemp(join(tmpdir(), 'zipjobs-api-'));
  await writeIdentity(cluster, directory);
  const { args, env } = imageProcess(DOCKERFILE, directory);
  const apiServer = new URL(options.apiServerUrl ?? cluster.apiServer.url);
  const [port = 0, adminPort = 0, dashboardPort = 0] = await freePorts(3);
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...env,
      HOST,
      PORT: String(port),
      ADMIN_PORT: String(adminPort),
      DASHBOARD_PORT: String(dashboardPort),
      DASHBOARD_URL: `http://${HOST}:${dashboardPort}`,
      SERVICE_ACCOUNT_DIR: directory,
      KUBERNETES_SERVICE_HOST: apiServer.hostname,
      KUBERNETES_SERVICE_PORT: apiServer.port,
      EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
      ...options.env,
    },
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  const adminUrl = `http://${HOST}:${adminPort}`;
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const isReady = (): Promise<boolean> => isOk(`${adminUrl}/readyz`);
  const end = (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return exitOf(child);
  };
  const api: ApiProcess = {
    url: `http://${HOST}:${port}`,
    adminUrl,
    pid: child.pid ?? 0,
    dashboardUrl: `http://${HOST}:${dashboardPort}`,
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
    await until('the API to be ready', () => hasEnded() || isReady());
    if (hasEnded()) throw new Error(`the API exited during its start:\n${lines.join('\n')}`);
    return api;
  } catch (error) {
    await api[Symbol.asyncDispose]();
    throw error;
  }
};
