/** Controllers as child processes of a test, which can kill them at any moment. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { imageProcess } from '#tools/local-cluster/image-process.ts';
import { until } from '../until.ts';
import { RELEASE_NAMESPACE } from './installation.ts';

export interface ControllerPoolOptions {
  readonly cluster: Cluster;
  /** Number of processes; one that ends is replaced. */
  readonly count: number;
  /** Settings that differ from the installed chart's. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Base URL of the API server for them; the server's own by default. */
  readonly apiServerUrl?: string;
  /** Called while no controller runs. */
  readonly prepare?: () => Promise<unknown>;
}

export interface ControllerPool extends AsyncDisposable {
  /** Number of processes that have ended so far, for any reason. */
  readonly ended: number;
  /** Kills the leader; returns false when there is none. */
  killLeader(): boolean;
  /** Kills all of them; their replacements start a moment later. */
  killAll(): void;
  untilLeading(): Promise<void>;
  /** The unchanged log lines of all processes. */
  readonly lines: readonly string[];
}

const DEPLOYMENT = 'deployment/zipjobs-controller';
const RESTART_MS = 100;

interface Installed {
  readonly replicas: number;
  /** The environment from the chart; the pool adds what the kubelet would. */
  readonly settings: Readonly<Record<string, string>>;
}

async function installed(cluster: Cluster): Promise<Installed> {
  const { stdout } = await cluster.kubectl(['get', DEPLOYMENT, '-n', RELEASE_NAMESPACE, '-o', 'json']);
  const deployment = JSON.parse(stdout) as {
    spec: {
      replicas: number;
      template: { spec: { containers: [{ env: { name: string; value?: string }[] }] } };
    };
  };
  const { replicas, template } = deployment.spec;
  const [{ env }] = template.spec.containers;
  const pairs = env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]));
  return { replicas, settings: Object.fromEntries(pairs) };
}

async function scale(cluster: Cluster, replicas: number): Promise<void> {
  const namespace = ['-n', RELEASE_NAMESPACE];
  await cluster.kubectl(['scale', ...namespace, DEPLOYMENT, `--replicas=${replicas}`]);
  await cluster.kubectl(['rollout', 'status', ...namespace, DEPLOYMENT, '--timeout=120s']);
  if (replicas === 0)
    await until(
      'the controllers of the chart to be gone',
      () => !cluster.node.pods().some(({ name }) => name.startsWith('zipjobs-controller-')),
    );
}

class Pool implements Omit<ControllerPool, keyof AsyncDisposable> {
  readonly lines: string[] = [];
  ended = 0;
  readonly #env: Readonly<Record<string, string>>;
  /** Of the files that the image writes. */
  readonly #folder: string;
  readonly #running = new Set<ChildProcess>();
  readonly #stopping = new AbortController();
  readonly #keepers: Promise<void>[] = [];
  #leader: ChildProcess | undefined;
  #started = 0;

  constructor(env: Readonly<Record<string, string>>, count: number, folder: string) {
    this.#env = env;
    this.#folder = folder;
    for (let n = 0; n < count; n += 1) this.#keepers.push(this.#keep());
  }

  killLeader(): boolean {
    const leader = this.#leader;
    this.#leader = undefined;
    return leader?.kill('SIGKILL') === true;
  }

  killAll(): void {
    for (const child of this.#running) child.kill('SIGKILL');
  }

  async untilLeading(): Promise<void> {
    await until('a controller to lead', () => this.#leader !== undefined, { limitMs: 120_000 });
  }

  /** The leader releases its Lease, so that the controllers of the chart need not wait until it expires. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const child of this.#running) child.kill('SIGTERM');
    await Promise.all(this.#keepers);
  }

  async #keep(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#run();
      this.ended += 1;
      await delay(RESTART_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #run(): Promise<void> {
    const { args, env } = imageProcess('controller', this.#folder);
    this.#started += 1;
    const own = { POD_NAME: `controller-${this.#started}` };
    const child = spawn(process.execPath, args, {
      env: { ...env, ...this.#env, ...own },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#running.add(child);
    const ended = once(child, 'exit');
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.lines.push(line);
      if (line.includes('"message":"leading"')) this.#leader = child;
    });
    await ended;
    this.#running.delete(child);
    if (this.#leader === child) this.#leader = undefined;
  }
}

/** Replaces the controllers of the installed chart by processes; disposing of it restores them. */
export async function startControllerPool(options: ControllerPoolOptions): Promise<ControllerPool> {
  const { cluster, count, settings = {}, apiServerUrl = cluster.apiServer.url } = options;
  const { hostname, port } = new URL(apiServerUrl);
  const identity = join(cluster.dir, 'controller-pool');
  await mkdir(identity, { recursive: true });
  const names = ['zipjobs-controller', '-n', RELEASE_NAMESPACE];
  const { stdout: token } = await cluster.kubectl(['create', 'token', ...names]);
  await writeFile(join(identity, 'token'), token.trim());
  await writeFile(join(identity, 'ca.crt'), cluster.apiServer.ca);
  const chart = await installed(cluster);
  await scale(cluster, 0);
  await options.prepare?.();
  const env = {
    ...chart.settings,
    HOST: '127.0.0.1',
    ADMIN_PORT: '0',
    POD_NAMESPACE: RELEASE_NAMESPACE,
    SERVICE_ACCOUNT_DIR: identity,
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
    ...settings,
  };
  const pool = new Pool(env, count, cluster.dir);
  return Object.assign(pool, {
    [Symbol.asyncDispose]: async () => {
      await pool.stop();
      await scale(cluster, chart.replicas);
    },
  });
}
