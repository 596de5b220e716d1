/**
 * docs/metrics.md is the table of the metrics that the processes register. `node scripts/sync-metrics.ts` fails when the file is
 * not what they register; with `--write` it writes it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { type Metric, Registry } from 'prom-client';
import { collectFileLists } from '#api/collect-file-lists.ts';
import { createApiMetrics } from '#api/metrics.ts';
import { createControllerMetrics } from '#controller/metrics.ts';
import { collectAtScrape } from '#controller/zip-job/metrics-at-scrape.ts';
import { exportBuildInfo } from '#runtime/build-info.ts';
import { collectWatchAges, createKubeMetrics } from '#runtime/kube/kube-metrics.ts';

const TARGET = 'docs/metrics.md';

export interface MetricFacts {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
}

const common = (registry: Registry): void => {
  exportBuildInfo(registry, '0');
  createKubeMetrics(registry);
  collectWatchAges(registry, {});
};

const PROCESSES: Readonly<Record<'api' | 'controller', (registry: Registry) => void>> = {
  api: (registry) => {
    common(registry);
    createApiMetrics(registry);
    collectFileLists(registry, { totals: () => new Map<string, number>().entries() });
  },
  controller: (registry) => {
    common(registry);
    createControllerMetrics(registry);
    collectAtScrape(registry, {
      zipJobs: () => [],
      queues: {},
      activeDeadlineSeconds: 0,
      now: () => new Date(0),
    });
  },
};

const labelsOf = (metric: Metric): readonly string[] =>
  'labelNames' in metric && Array.isArray(metric.labelNames) ? metric.labelNames.map(String) : [];

/** Every metric of a process but those of Node itself (`process_*`, `nodejs_*`), by name. */
export const metricsOf = async (process: 'api' | 'controller'): Promise<readonly MetricFacts[]> => {
  const registry = new Registry();
  PROCESSES[process](registry);
  const described = await registry.getMetricsAsJSON();
  return described
    .map(({ name, help, type }) => {
      const metric = registry.getSingleMetric(name);
      return { name, help, type: String(type), labels: metric ? labelsOf(metric) : [] };
    })
    .toSorted((a, b) => a.name.localeCompare(b.name));
};

const row = ({ name, type, labels, help }: MetricFacts): string =>
  `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help.replace(/\.$/, '')} |`;

const tableOf = async (process: 'api' | 'controller'): Promise<readonly string[]> => [
  `## The ${process}`,
  '',
  '| metric | type | labels | what it tells |',
  '|---|---|---|---|',
  ...(await metricsOf(process)).map(row),
  '',
];

const document = async (): Promise<string> =>
  [
    '# Metrics',
    '',
    'Written by `npm run docs` from what the processes register; do not edit. Both serve `/metrics` on the admin port, beside',
    "Node's own `process_*` and `nodejs_*`. Label values come from closed sets: no namespace, name, key or URL is among them, so",
    'the number of series does not grow with jobs. Gauges of jobs are read off the cache at each scrape by every replica of the',
    'controller: take the `max`, not the `sum`. Counters are moved by the leader, after its write was taken.',
    '',
    ...(await tableOf('controller')),
    ...(await tableOf('api')),
  ].join('\n');

if (import.meta.main) {
  const text = await document();
  if (process.argv.includes('--write')) writeFileSync(TARGET, text);
  else if (readFileSync(TARGET, 'utf8') !== text) {
    console.error(`${TARGET} is not what the processes register: run 'npm run docs'`);
    process.exitCode = 1;
  }
}
