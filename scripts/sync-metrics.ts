/**
 * Compares docs/metrics.md with the metrics that the processes register, and fails if they differ. With `--write`,
 * writes the file.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { type Metric, Registry } from 'prom-client';
import { collectStorage } from '#api/limits/collect-storage.ts';
import { createApiMetrics } from '#api/metrics.ts';
import { createControllerMetrics } from '#controller/metrics.ts';
import { collectAtScrape } from '#controller/zip-job/metrics-at-scrape.ts';
import { FAILURE_FAULTS, type Fault } from '#crds/job-failures.ts';
import { createDashboardMetrics } from '#dashboard/metrics.ts';
import { collectCaches, createKubeMetrics } from '#runtime/kube/kube-metrics.ts';
import { MAX_LABELLED, OTHER_PROJECTS, withoutProjects } from '#runtime/metrics/project-labels.ts';
import { exportBuildInfo } from '#runtime/process/build-info.ts';
import { exportCertificateExpiry } from '#runtime/tls/server-certificate.ts';

const TARGET = 'docs/metrics.md';

export interface MetricFacts {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
}

function common(registry: Registry): void {
  exportBuildInfo(registry, '0');
  createKubeMetrics(registry);
  collectCaches(registry, {});
}

type Process = 'api' | 'controller' | 'dashboard';

const PROCESSES: Readonly<Record<Process, (registry: Registry) => void>> = {
  api: (registry) => {
    common(registry);
    exportCertificateExpiry(registry, undefined);
    createApiMetrics(registry);
    collectStorage(registry, {
      ledger: { totals: () => new Map<string, never>().entries() },
      classOf: () => ({ limits: { storedJobs: 1, storedBytes: 1 } }),
      maxFileListBytes: 1,
      projects: withoutProjects(),
    });
  },
  dashboard: (registry) => {
    common(registry);
    exportCertificateExpiry(registry, undefined);
    createDashboardMetrics(registry);
  },
  controller: (registry) => {
    common(registry);
    createControllerMetrics(registry);
    collectAtScrape(registry, {
      zipJobs: () => [],
      resting: { counts: () => [] },
      projects: withoutProjects(),
      queues: {},
      defaultDeadlineSeconds: () => 0,
      heldBuckets: () => 0,
      archiver: undefined,
      now: () => new Date(0),
    });
  },
};

function labelsOf(metric: Metric): readonly string[] {
  return 'labelNames' in metric && Array.isArray(metric.labelNames) ? metric.labelNames.map(String) : [];
}

/** Every metric of a process except those of Node.js (`process_*`, `nodejs_*`), by name. */
export async function metricsOf(process: Process): Promise<readonly MetricFacts[]> {
  const registry = new Registry();
  PROCESSES[process](registry);
  const described = await registry.getMetricsAsJSON();
  return described
    .map(({ name, help, type }) => {
      const metric = registry.getSingleMetric(name);
      return { name, help, type: String(type), labels: metric ? labelsOf(metric) : [] };
    })
    .toSorted((a, b) => a.name.localeCompare(b.name));
}

function row({ name, type, labels, help }: MetricFacts): string {
  return `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help.replace(/\.$/, '')} |`;
}

async function tableOf(process: Process): Promise<readonly string[]> {
  return [
    `## The ${process}`,
    '',
    '| metric | type | labels | meaning |',
    '|---|---|---|---|',
    ...(await metricsOf(process)).map(row),
    '',
  ];
}

function reasonsOf(fault: Fault): string {
  return [...FAILURE_FAULTS]
    .filter((entry) => entry[1] === fault)
    .map(([reason]) => `\`${reason}\``)
    .join(', ');
}

/** The label `fault` of finished jobs. */
const FAULTS: readonly string[] = [
  '## Whose fault a failed job is',
  '',
  'The label `fault` of `zip_jobs_finished_total` says who can correct the cause. The alert `ZipjobsFailureRatio` ignores',
  'failures of callers. Jobs that did not fail have `none`.',
  '',
  '| `fault` | reasons |',
  '|---|---|',
  `| \`caller\`: the request, its sources, or its bucket and credentials | ${reasonsOf('caller')} |`,
  `| \`operator\`: zipjobs, its cluster or the store | ${reasonsOf('operator')}, and any other |`,
  `| \`none\`: requested, or restored from a backup | ${reasonsOf('none')} |`,
  '',
];

/** The recording rules of the chart. */
const RECORDED: readonly string[] = [
  '## Recorded figures',
  '',
  'With `monitoring.prometheusRule`, Prometheus records these series every 30 seconds, with the label `job` of this release:',
  '',
  '| series | labels | meaning |',
  '|---|---|---|',
  '| `zipjobs:project_jobs_finished:rate5m` | `project`, `result`, `fault` | Finished jobs per second |',
  '| `zipjobs:project_archive_bytes:rate5m` | `project` | Bytes of archives per second |',
  '| `zipjobs:project_api_requests:rate5m` | `project`, `status` | API requests per second |',
  '| `zipjobs:slo_events:rate5m`, `zipjobs:slo_bad_events:rate5m` | `slo` | Events of an objective per second, and those that are bad |',
  '| `zipjobs:slo_bad_events:increase6h`, `…:increase3d` | `slo` | Bad events of the last 6 hours and 3 days |',
  '| `zipjobs:slo_error_budget:ratio` | `slo` | Share of events that may be bad |',
  '| `zipjobs:slo_burn_rate:ratio_rate5m`, `…30m`, `…1h`, `…2h`, `…6h`, `…1d`, `…3d` | `slo` | How many times as fast as allowed the error budget is used. 1 uses it up exactly at the end of the period |',
  '',
  '### Objectives',
  '',
  'An objective is a share of good events in 30 days. Change the targets in `monitoring.slo`.',
  '',
  '| `slo` | good events | default |',
  '|---|---|---|',
  '| `success` | jobs that end with an archive. Failures of callers and cancelled jobs do not count | 99.5 % |',
  '| `start` | jobs whose zipper makes progress within 60 seconds of the request. Jobs that wait for a limit of their project count | 95 % |',
  '| `webhook` | webhooks whose first attempt ends within 60 seconds of the end of the job, whatever the receiver responds | 99 % |',
  '',
  'The alerts use the windows and factors of the [Google SRE workbook](https://sre.google/workbook/alerting-on-slos/):',
  '`ZipjobsErrorBudgetBurnsFast` fires at 14.4 times the allowed rate in an hour or 6 times in six hours,',
  '`ZipjobsErrorBudgetBurnsSlowly` at 3 times in a day or once in three days, and both only with at least five bad events.',
  '',
];

async function document(): Promise<string> {
  return [
    '# Metrics',
    '',
    'Generated by `npm run docs` from the metrics that the processes register; do not edit.',
    '',
    'The API, the controller and the dashboard serve `/metrics` on the admin port. They also export the `process_*` and',
    '`nodejs_*` metrics of Node.js.',
    '',
    '- **Labels** have a fixed set of values, except `project`. They never contain a name, key or URL, so the number of series',
    '  does not grow with the number of jobs.',
    `- **\`project\`** is the namespace of one of the ${MAX_LABELLED} busiest projects of the process, or \`${OTHER_PROJECTS}\` for all other projects`,
    '  together. It is empty with `monitoring.perProject: false`, and for requests without a valid token. Busier projects replace',
    '  idle ones, at most 10 in ten minutes. A series that ends does not change in its last ten minutes, and one that starts does',
    `  so at zero, so \`rate\` and sums over \`project\` are correct. \`zip_labelled_projects\` is ${MAX_LABELLED} if there may be other projects.`,
    '- **Gauges of jobs** are computed from the cache at each scrape, by every replica of the controller. Use `max by (project)`, not',
    '  `sum`. For all projects: `max(sum by (instance) (...))`, because replicas may label different projects.',
    '- **Counters of the controller** are incremented by the leader only, after its status write succeeded. Use `sum`.',
    '',
    ...(await tableOf('controller')),
    ...FAULTS,
    ...(await tableOf('api')),
    ...(await tableOf('dashboard')),
    ...RECORDED,
  ].join('\n');
}

if (import.meta.main) {
  const text = await document();
  if (process.argv.includes('--write')) writeFileSync(TARGET, text);
  else if (readFileSync(TARGET, 'utf8') !== text) {
    console.error(`${TARGET} is not what the processes register: run 'npm run docs'`);
    process.exitCode = 1;
  }
}
