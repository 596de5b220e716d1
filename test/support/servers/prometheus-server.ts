import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { freePorts } from '#tools/local-cluster/free-ports.ts';
import { until } from '../until.ts';

export interface ScrapeTarget {
  /** Host and port of `/metrics`. */
  readonly address: string;
  readonly scheme?: 'http' | 'https';
  readonly labels: Readonly<Record<string, string>>;
}

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A real Prometheus on loopback, which scrapes every second and keeps nothing. */
export interface PrometheusServer extends AsyncDisposable {
  /**
   * The current value of each series.
   * @throws Error with the message of Prometheus if it refuses the query
   */
  query(expression: string): Promise<readonly Sample[]>;
}

export interface PrometheusOptions {
  readonly targets: readonly ScrapeTarget[];
  /** Groups of alerts and recording rules. */
  readonly groups?: readonly unknown[];
}

/** It answers 503 until it has started, which takes a minute on a busy machine. */
const START_LIMIT_MS = 180_000;

interface QueryResponse {
  readonly status: 'success' | 'error';
  readonly error?: string;
  readonly data?: {
    readonly resultType: 'vector' | 'scalar';
    readonly result: readonly {
      readonly metric: Sample['metric'];
      readonly value: readonly [number, string];
    }[];
  };
}

function configuration({ targets }: PrometheusOptions): string {
  return stringify({
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yaml'],
    scrape_configs: targets.map(({ address, scheme = 'http', labels }, at) => ({
      job_name: `target-${at}`,
      scheme,
      tls_config: { insecure_skip_verify: true },
      static_configs: [{ targets: [address], labels }],
    })),
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Starts it, and waits until it has read every target twice, so that rates have values. */
export async function startPrometheus(options: PrometheusOptions): Promise<PrometheusServer> {
  await using started = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'zipjobs-prometheus-'));
  started.defer(() => rm(directory, { recursive: true, force: true }));
  const config = join(directory, 'prometheus.yaml');
  await writeFile(config, configuration(options));
  await writeFile(join(directory, 'rules.yaml'), stringify({ groups: options.groups ?? [] }));
  const [port = 0] = await freePorts(1);
  const flags = [`--config.file=${config}`, `--storage.tsdb.path=${join(directory, 'data')}`];
  const child = spawn('prometheus', [...flags, `--web.listen-address=127.0.0.1:${port}`], {
    stdio: 'ignore',
  });
  started.defer(() => end(child));

  async function query(expression: string): Promise<readonly Sample[]> {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/query`, {
      method: 'POST',
      body: new URLSearchParams({ query: expression }),
    });
    const { status, error, data } = (await response.json()) as QueryResponse;
    if (status === 'error' || data === undefined) throw new Error(`${error ?? 'no data'}: ${expression}`);
    return data.result.map(({ metric, value: [, value] }) => ({ metric, value: Number(value) }));
  }
  await until(
    'Prometheus to read every target twice',
    async () => {
      if (child.exitCode !== null) throw new Error(`prometheus exited with ${child.exitCode}`);
      const read = await query('count_over_time(up[1h]) >= 2 and up == 1');
      return read.length === options.targets.length;
    },
    { limitMs: START_LIMIT_MS },
  );
  const resources = started.move();
  return { query, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}
