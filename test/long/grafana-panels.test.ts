/**
 * Every query of the Grafana dashboard, against a real Prometheus that reads the processes of an installation which does what
 * the panels show: jobs succeed, fail and wait, webhooks fail, and jobs leave the cluster for the history.
 */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { expect } from 'chai';
import { zipJobName } from '#crds/api-group.ts';
import { dashboardOf, type Panel, panelsOf } from '#test/chart/grafana-panels.ts';
import { find, render } from '#test/chart/render.ts';
import { askApi, postJob } from '#test/support/clients/api-client.ts';
import { installChart, RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { requirePostgres, requirePrograms } from '#test/support/processes/require-programs.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import { PRIVATE_TLS } from '#test/support/servers/private-tls.ts';
import {
  type PrometheusServer,
  type Sample,
  type ScrapeTarget,
  startPrometheus,
} from '#test/support/servers/prometheus-server.ts';
import { startWebhookReceiver } from '#test/support/servers/webhook-receiver.ts';
import { until } from '#test/support/until.ts';
import { untilTokenKnown } from '#test/support/worlds/flow.ts';
import {
  type HistoryInstallation,
  startHistoryInstallation,
} from '#test/support/worlds/history-installation.ts';
import { createProject, type Project } from '#test/support/worlds/project.ts';

const NAMESPACES = ['grafana-busy', 'grafana-full'] as const;
const TLS_SECRET = 'dashboard-tls';
const COMPONENTS = ['api', 'controller', 'dashboard'] as const;
const METRICS_JOB = 'zipjobs-system/zipjobs';
const [HTTP_PORT, ADMIN_PORT] = [8080, 9090];
/** Statuses of the receiver: a project has one that refuses, and one that accepts. */
const [REFUSES, ACCEPTS] = [500, 204];
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

/** What Grafana puts in place of its variables, for a time range that contains the whole test. */
const VARIABLES: Readonly<Record<string, string>> = {
  $__rate_interval: '5m',
  $__range: '1h',
  $project: '.*',
};

function replaceVariables(expression: string): string {
  return Object.entries(VARIABLES).reduce((all, [name, value]) => all.replaceAll(name, value), expression);
}

/** `{{reason}}` with the value of the label; `(empty)` in place of a label that the series lacks. */
function legendOf(legendFormat: string, metric: Sample['metric']): string {
  return legendFormat.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? '(empty)');
}

interface ComponentPod {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly status: { readonly podIP?: string };
}

interface QueryResult {
  readonly panel: string;
  readonly query: string;
  readonly legends: readonly string[];
  readonly values: readonly number[];
}

describe('the panels of the Grafana dashboard', function () {
  this.timeout(400_000);
  const life = new AsyncDisposableStack();
  let installation: HistoryInstallation;
  let baseUrl: string;
  let origin: FileOrigin;
  let prometheus: PrometheusServer;
  let panels: readonly Panel[];

  /** Of the pods that stay: some of the release before may still run. */
  async function addresses(component: string): Promise<readonly ScrapeTarget[]> {
    const selector = encodeURIComponent(`app.kubernetes.io/component=${component}`);
    const path = `/api/v1/namespaces/${RELEASE_NAMESPACE}/pods?labelSelector=${selector}`;
    const { items } = await installation.cluster.read<{ readonly items: readonly ComponentPod[] }>(path);
    return items
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata, status }) => ({
        address: `${status.podIP}:${ADMIN_PORT}`,
        scheme: component === 'dashboard' ? 'https' : 'http',
        labels: { job: METRICS_JOB, component, pod: metadata.name },
      }));
  }
  async function openProject(namespace: string, status: number): Promise<Project> {
    const receiver = life.use(await startWebhookReceiver({ respond: () => status }));
    const { cluster } = installation;
    const project = life.use(await createProject(cluster, { namespace, webhookUrl: receiver.url }));
    life.defer(async () => {
      await cluster.kubectl(['delete', 'namespace', namespace, '--wait=false']);
    });
    await untilTokenKnown(baseUrl, project.token);
    return project;
  }
  function post({ token, bucketName }: Project, path: string, key: string): Promise<string> {
    const urls = [{ url: origin.url(path), filename: 'a' }];
    return postJob(baseUrl, token, { bucket_name: bucketName, key, urls });
  }

  before(async function () {
    await requirePostgres(this);
    await requirePrograms(this, ['prometheus']);
    installation = life.use(await startHistoryInstallation());
    const { cluster } = installation;
    await installation.applySecret();
    const tls = { 'tls.crt': PRIVATE_TLS.cert, 'tls.key': PRIVATE_TLS.key };
    const metadata = { namespace: RELEASE_NAMESPACE, name: TLS_SECRET };
    await cluster.apply([
      { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata, stringData: tls },
    ]);
    const chart = await installChart(cluster, {
      ...installation.values,
      dashboard: { enabled: true, replicas: 1, tls: { secretName: TLS_SECRET } },
      controller: { replicas: 1 },
    });
    baseUrl = await chart.apiUrl();
    origin = life.use(await startFileOrigin());
    const objects = await render({
      'monitoring.prometheusRule.enabled': true,
      'monitoring.dashboard.enabled': true,
      'dashboard.enabled': true,
    });
    panels = panelsOf(dashboardOf(objects));
    const { groups } = find(objects, 'PrometheusRule', 'zipjobs')['spec'] as {
      readonly groups: readonly object[];
    };
    const everySecond = groups.map((group) => ({ ...group, interval: '1s' }));
    const targets = (await Promise.all(COMPONENTS.map(addresses))).flat();
    prometheus = life.use(await startPrometheus({ targets, groups: everySecond }));
  });
  after(() => life.disposeAsync());

  async function untilMetric(what: string, expression: string): Promise<void> {
    await until(what, async () => (await prometheus.query(expression)).length > 0, {
      limitMs: 60_000,
      intervalMs: 200,
    });
  }

  /** The dashboard has a certificate without the address of its pod. */
  async function openDashboard(): Promise<number | undefined> {
    const host = await installation.cluster.readyPodAddress(
      RELEASE_NAMESPACE,
      'app.kubernetes.io/component=dashboard',
    );
    const sent = get({ host, port: HTTP_PORT, path: '/sign-in', agent: false, rejectUnauthorized: false });
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    return response.statusCode;
  }

  it('have the data of a run', async () => {
    const { cluster } = installation;
    expect(await openDashboard()).to.equal(200);
    const [busy, full] = await Promise.all([
      openProject(NAMESPACES[0], REFUSES),
      openProject(NAMESPACES[1], ACCEPTS),
    ]);
    const made = await post(full, '/gen/1000/1', 'made.zip');
    const uuids = await Promise.all([
      ...Array.from({ length: 2 }, (_, at) => post(busy, '/gen/100000/1', `made-${at}.zip`)),
      post(busy, '/status/404', 'missing.zip'),
    ]);
    await Promise.all(uuids.map((uuid) => busy.untilPhase(uuid, ['Succeeded', 'Failed'])));
    await full.untilPhase(made, ['Succeeded']);
    // A quota without room leaves the next job waiting.
    await cluster.apply([
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { namespace: full.namespace, name: 'none' },
        spec: { hard: { 'count/jobs.batch': '0' } },
      },
    ]);
    await post(full, '/gen/1000/1', 'waits.zip');
    // A rate ignores the first value of a series, such as that of the first failure of callers.
    await post(busy, '/status/404', 'missing-again.zip');
    await untilMetric('an archived job', 'zip_history_written_total > 0');
    await cluster.kubectl(['delete', 'zipjob', zipJobName(made), '-n', full.namespace, '--timeout=60s']);
    for (const uuid of [made, UNKNOWN])
      await askApi(baseUrl, { path: `/v1/zips/${uuid}`, token: full.token });
    expect(await openDashboard()).to.equal(200);
    await untilMetric('a failed job', 'rate(zip_jobs_finished_total{reason="SourceNotFound"}[5m]) > 0');
    await untilMetric('a stuck job', 'zip_jobs_stuck > 0');
    await untilMetric('a failed delivery', 'zip_webhook_deliveries_total{outcome="5xx"} > 0');
    await untilMetric('a read of the history', 'zip_api_history_reads_total{outcome="found"} > 0');
    await untilMetric('a page', 'rate(zip_dashboard_request_duration_seconds_count[5m]) > 0');
  });

  async function resultsOf({ title, targets = [] }: Panel): Promise<readonly QueryResult[]> {
    return await Promise.all(
      targets.map(async ({ expr, legendFormat }) => {
        const samples = await prometheus.query(replaceVariables(expr));
        return {
          panel: title,
          query: expr,
          legends: samples.map(({ metric }) => legendOf(legendFormat, metric)),
          values: samples.map(({ value }) => value),
        };
      }),
    );
  }

  it('each have a series for every query, with a value and a legend (Q-O2)', async () => {
    // One slow read makes the series of its target stale until the next one.
    let results: readonly QueryResult[] = [];
    await until(
      'a series for every query',
      async () => {
        results = (await Promise.all(panels.map(resultsOf))).flat();
        return results.every(({ values }) => values.length > 0);
      },
      { limitMs: 30_000, intervalMs: 500 },
    ).catch(() => undefined);
    for (const { panel, query, legends, values } of results)
      console.log(
        `      | ${panel} | ${query} | ${legends.map((legend, at) => `${legend}: ${values[at]}`).join(', ')} |`,
      );
    function failing(isWrong: (result: QueryResult) => boolean): readonly string[] {
      return results.filter(isWrong).map(({ panel, query }) => `${panel}: ${query}`);
    }
    expect(
      failing(({ values }) => values.length === 0),
      'without a series',
    ).to.deep.equal([]);
    expect(
      failing(({ values }) => values.every(Number.isNaN)),
      'without a number',
    ).to.deep.equal([]);
    expect(failing(({ legends }) => legends.some((legend) => legend.includes('(empty)')))).to.deep.equal([]);
    for (const [panel, least] of [
      ['Jobs waiting', 1],
      ['Stuck jobs', 1],
      ['Failed jobs by project', 0.1],
      ['Pending webhooks', 1],
      ['Archived bytes by project', 100_000],
      ['Written jobs per minute', 0.1],
    ] as const) {
      const values = results.filter((result) => result.panel === panel).flatMap((result) => result.values);
      expect(Math.max(...values), panel).to.be.at.least(least);
    }
  });
});
