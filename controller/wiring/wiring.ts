import { projectKey } from '#crds/api-group.ts';
import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import type { ProjectLimits } from '#crds/zip-project.ts';
import { ZIPPER_ENV } from '#crds/zipper-contract.ts';
import { openIpBlocks } from '#runtime/egress/ip-blocks.ts';
import { toEgressOptions } from '#runtime/egress/settings.ts';
import { ConfigError } from '#runtime/errors.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import type { KubeMetrics } from '#runtime/kube/kube-metrics.ts';
import { type Change, namespaceOf, type ObjectKey, objectKey } from '#runtime/kube/types.ts';
import type { Logger } from '#runtime/log/log.ts';
import { withLogFields } from '#runtime/log/log-context.ts';
import type { ProjectLabels } from '#runtime/metrics/project-labels.ts';
import { createProjectClasses, type ProjectClasses } from '#runtime/project-limits/project-classes.ts';
import type { Clock } from '#runtime/time/clock.ts';
import type { BundleTrust } from '#runtime/tls/bundle-file.ts';
import type { Tracer } from '#runtime/tracing/tracer.ts';
import { type Caches, CHANGING, INDEXES } from '../cluster/caches.ts';
import type { Clients } from '../cluster/clients.ts';
import { createRestingCounts, type RestingCounts } from '../cluster/resting-counts.ts';
import {
  createIsNamespaceTerminating,
  type IsNamespaceTerminating,
} from '../cluster/terminating-namespaces.ts';
import type { ControllerConfig } from '../config/config.ts';
import { createHistory, type History } from '../history/history.ts';
import { type ControllerMetrics } from '../metrics.ts';
import { type Admission, createAdmission } from '../queue/create-admission.ts';
import type { Ledger } from '../queue/ledger.ts';
import { createPause, type Pause } from '../queue/pause.ts';
import type { StoreOutages } from '../queue/store-outages.ts';
import { ZIPBUCKET, ZIPJOB, ZIPPROJECT } from '../reconciling/measure-reconcile.ts';
import { reconcileFields } from '../reconciling/reconcile-fields.ts';
import { createWorkQueue, type WorkQueue, type WorkQueueOptions } from '../reconciling/work-queue.ts';
import { workQueueMetrics } from '../reconciling/work-queue-metrics.ts';
import { createJobTraces, type JobTraces } from '../tracing/job-traces.ts';
import { createWatches, type Watches, type WatchesOptions } from '../watches.ts';
import { createWebhookDispatcher, type WebhookDispatcher } from '../webhook/dispatcher.ts';
import { createEndpointNotes, type EndpointNotes } from '../webhook/endpoint-notes.ts';
import { projectOfTest } from '../webhook/test-event.ts';
import { createUnfinishedJobs, type UnfinishedJobs } from '../zip-bucket/unfinished-jobs.ts';
import { laneOfChange, laneWhenDue } from '../zip-job/lane.ts';
import { createSurplus, type Surplus } from '../zip-job/lifetime/lifetime.ts';
import { createLingeringPods } from '../zip-job/lifetime/lingering-pods.ts';
import { createOrphanedJobs } from '../zip-job/lifetime/orphaned-jobs.ts';
import { createMemory, type Memory } from '../zip-job/memory.ts';
import { createReportingJobs, type ReportingJobs } from '../zip-job/reporting-jobs.ts';
import { createUnreachableSources } from '../zip-job/unreachable-sources.ts';
import { createProjectChildren, type ProjectChildren } from '../zip-project/project-children.ts';
import type { ZipperNetwork } from '../zip-project/project-objects.ts';
import { createRefusedJobs, type RefusedJobs } from '../zip-project/refused-jobs.ts';
import { storesAtApiServer } from '../zip-project/stores-at-api-server.ts';

function portOf(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new ConfigError(`API_SERVER_PORTS: ${JSON.stringify(text)} is not a port number`);
}

/** @throws ConfigError if policies are enabled without the addresses and ports of the API server. */
export function zipperNetworkOf(config: ControllerConfig): ZipperNetwork | undefined {
  if (!config.networkPolicies) return undefined;
  if (config.apiServerCidrs.length === 0)
    throw new ConfigError(
      'NETWORK_POLICIES is true, but API_SERVER_CIDRS is empty. Set it to the addresses of the API server',
    );
  // A rule without ports would allow all of them.
  if (config.apiServerPorts.length === 0)
    throw new ConfigError(
      'NETWORK_POLICIES is true, but API_SERVER_PORTS is empty. Set it to the ports of the API server',
    );
  const egress = toEgressOptions(config, config.kubernetesHost);
  return {
    // A NetworkPolicy cannot tell a source from a store. The zipper does.
    open: openIpBlocks(
      { ...egress, allowCidrs: [...egress.allowCidrs, ...config.storeAllowCidrs] },
      config.proxyCidrs,
    ),
    storesAtApiServer: storesAtApiServer(config),
    apiServerCidrs: config.apiServerCidrs,
    apiServerPorts: config.apiServerPorts.map(portOf),
  };
}

/** The settings, with what is known only when the process runs. */
interface CurrentConfig extends ControllerConfig {
  /** Public key for what only the controller may read of the messages of zippers. */
  readonly sealingKey?: string;
}

/**
 * The settings with the current certificate authorities for zippers. They get a copy, because their namespace does not
 * contain the ConfigMap.
 */
export function createCurrentConfig(
  config: CurrentConfig,
  trust: Pick<BundleTrust, 'additional'>,
): () => CurrentConfig {
  let known = { additional: '', config };
  return () => {
    const additional = trust.additional();
    if (additional !== known.additional) {
      const zipperEnv = { ...config.zipperEnv, ...(additional && { [ZIPPER_ENV.trustBundle]: additional }) };
      known = { additional, config: Object.freeze({ ...config, zipperEnv }) };
    }
    return known.config;
  };
}

const LONGEST_BACKOFF_MS = 60_000;
/** A change of a bucket's job count is written after this time, so that a thousand new jobs cause one write. */
const BUCKET_USE_MS = 1000;

/** The dependencies that `main` creates. */
export interface Base {
  readonly config: ControllerConfig;
  readonly log: Logger;
  readonly metrics: ControllerMetrics;
  /** Those of the metrics. */
  readonly projectLabels: ProjectLabels;
  readonly kubeMetrics: KubeMetrics;
  readonly clients: Clients;
  readonly kube: KubeClient;
  readonly stopping: AbortSignal;
  /** The time of the API server, for times in the status. */
  readonly clock: Clock;
  /** The certificate authorities of webhooks and zippers. */
  readonly trust: BundleTrust;
  /** Undefined without tracing. */
  readonly tracer: Tracer | undefined;
}

interface Queues {
  readonly queue: WorkQueue;
  readonly projectQueue: WorkQueue;
  readonly bucketQueue: WorkQueue;
}

/** What is kept about ZipJobs besides the caches. */
interface JobRecords {
  readonly memory: Memory;
  readonly reportingJobs: ReportingJobs;
  readonly unfinishedJobs: UnfinishedJobs;
  readonly restingCounts: RestingCounts;
  readonly refusedJobs: RefusedJobs;
  /** Undefined without tracing. */
  readonly traces: JobTraces | undefined;
}

/** Shared by the controllers. Standby replicas have it too, so that their caches are filled when they take over. */
export interface Parts extends Base, Queues, Surplus, JobRecords {
  /** Keys are added to the queues only while this is true. */
  readonly leadership: { isOurs: boolean };
  /** The settings with what changes while the process runs. */
  readonly currentConfig: () => CurrentConfig;
  readonly watches: Watches;
  readonly children: ProjectChildren;
  readonly ledger: Ledger;
  readonly storeOutages: StoreOutages;
  readonly projectClasses: ProjectClasses;
  /** The limits in force in a namespace. */
  readonly limitsIn: (namespace: string) => ProjectLimits;
  readonly pause: Pause;
  readonly isNamespaceTerminating: IsNamespaceTerminating;
  readonly endpointNotes: EndpointNotes;
  readonly dispatcher: WebhookDispatcher;
  /** Undefined without a history database. */
  readonly history: History | undefined;
}

type FindZipJob = (key: ObjectKey) => ZipJob | undefined;

function createQueues({ log, config, metrics }: Base, findZipJob: FindZipJob): Queues {
  function queueOf(name: string, more: Pick<WorkQueueOptions, 'laneWhenDue'> = {}): WorkQueue {
    return createWorkQueue({
      log,
      maxDelayMs: LONGEST_BACKOFF_MS,
      drainTimeoutMs: config.shutdownTimeoutMs,
      metrics: workQueueMetrics(metrics, name),
      groupOf: namespaceOf,
      logFields: reconcileFields(name),
      ...more,
    });
  }
  return {
    queue: queueOf(ZIPJOB, { laneWhenDue: (key) => laneWhenDue(findZipJob(key)) }),
    projectQueue: queueOf(ZIPPROJECT),
    bucketQueue: queueOf(ZIPBUCKET),
  };
}

function createDispatcher(
  { config, log, stopping, clock }: Base,
  { queue, projectQueue }: Queues,
): WebhookDispatcher {
  return createWebhookDispatcher({
    concurrency: config.webhookConcurrency,
    concurrencyPerEndpoint: config.webhookConcurrencyPerEndpoint,
    concurrencyPerProject: config.webhookConcurrencyPerProject,
    slowAfterMs: config.webhookSlowAfterMs,
    clock,
    signal: stopping,
    onResponse: (key) => {
      const project = projectOfTest(key);
      if (project === undefined) queue.add(key);
      else projectQueue.add(project);
    },
    onError: (key, error) => {
      const project = projectOfTest(key);
      // Deliveries outlive the reconcile that started them, and a delivery may start when another ends.
      withLogFields(reconcileFields('webhook')(project ?? key), () => {
        log.warn({ err: error }, 'could not attempt a webhook delivery');
      });
      if (project === undefined) queue.addRateLimited(key);
      else projectQueue.addRateLimited(project);
    },
  });
}

/** Logs the start or end of a pause and requeues every unfinished job. */
function onPauseChange(
  { log, metrics }: Base,
  reason: string | undefined,
  parts: { readonly ledger: Ledger; readonly watches: Watches; readonly onZipJob: (key: ObjectKey) => void },
): void {
  metrics.paused.set(reason === undefined ? 0 : 1);
  log.warn({ reason }, reason === undefined ? 'jobs are resumed' : 'jobs are paused');
  parts.ledger.refresh();
  for (const zipJob of parts.watches.caches.zipJobs.byClusterIndex(INDEXES.changing, CHANGING))
    if (!isFinished(zipJob)) parts.onZipJob(objectKey(zipJob));
}

function createProjectLimits(
  { config }: Base,
  caches: () => Caches,
): { projectClasses: ProjectClasses; limitsIn: (namespace: string) => ProjectLimits } {
  const projectClasses = createProjectClasses({
    classes: config.classes,
    namespaces: { get: (key) => caches().namespaces.get(key) },
  });
  function limitsIn(namespace: string): ProjectLimits {
    return projectClasses.limitsOf(namespace, caches().projects.get(projectKey(namespace)));
  }
  return { projectClasses, limitsIn };
}

function createJobRecords(
  cached: (key: ObjectKey) => ZipJob | undefined,
  { onProject, tracer }: Pick<Notifiers, 'onProject'> & Pick<Base, 'tracer'>,
): JobRecords {
  return {
    memory: createMemory(cached),
    reportingJobs: createReportingJobs(),
    unfinishedJobs: createUnfinishedJobs(),
    restingCounts: createRestingCounts(),
    refusedJobs: createRefusedJobs(onProject),
    traces: tracer && createJobTraces(tracer),
  };
}

function jobFollowers(
  { projectLabels }: Pick<Base, 'projectLabels'>,
  { memory, reportingJobs, unfinishedJobs, restingCounts, refusedJobs }: JobRecords,
  history: History | undefined,
): WatchesOptions['followers'] {
  const records = [memory, reportingJobs, unfinishedJobs, restingCounts, refusedJobs];
  return [noteNewJobs(projectLabels), ...records, ...(history ? [history.archiver] : [])];
}

/** A project is as busy as it creates jobs. */
function noteNewJobs(labels: ProjectLabels): { see(change: Change<ZipJob>): void } {
  return {
    see: ({ kind, key, before }) => {
      if (kind === 'set' && before === undefined) labels.note(namespaceOf(key));
    },
  };
}

interface Notifiers {
  readonly onZipJob: (key: ObjectKey) => void;
  readonly onProject: (key: ObjectKey) => void;
  readonly onBucket: (key: ObjectKey) => void;
  readonly onBucketUse: (key: ObjectKey) => void;
}

/**
 * Add keys to the queues only while this process leads. A leader adds every key itself once the first lists have arrived, and
 * those that may change first: before that, the lists would add every finished job in front of new ones.
 */
function createNotifiers(
  { queue, projectQueue, bucketQueue }: Queues,
  findZipJob: FindZipJob,
  leads: () => boolean,
): Notifiers {
  function whenLeading(add: (key: ObjectKey) => void) {
    return (key: ObjectKey): void => {
      if (leads()) add(key);
    };
  }
  return {
    onZipJob: whenLeading((key) => queue.add(key, laneOfChange(findZipJob(key)))),
    onProject: whenLeading((key) => projectQueue.add(key)),
    onBucket: whenLeading((key) => bucketQueue.add(key)),
    onBucketUse: whenLeading((key) => bucketQueue.addAfter(key, BUCKET_USE_MS)),
  };
}

/** Full reconciles in which the caches are compared once with the API server: ten minutes by default. */
const COMPARED_EVERY = 10;

function cacheOptions({ kube, log, kubeMetrics: metrics, config }: Base) {
  return { kube, log, metrics, settings: { compareMs: COMPARED_EVERY * config.fullReconcileSeconds * 1000 } };
}

/** What deletes Jobs and pods that nothing else ends. */
function createCleanup(
  { clock, log, stopping: signal, clients }: Base,
  leads: () => boolean,
  findZipJob: FindZipJob,
) {
  const delayed = { clock, log, signal, leads };
  return {
    lingeringPods: createLingeringPods({ ...delayed, pods: clients.pods }),
    orphanedJobs: createOrphanedJobs({ ...delayed, jobs: clients.jobs, findZipJob }),
  };
}

export function createParts(base: Base): Parts {
  const { config, log, clients, clock } = base;
  const findZipJob: FindZipJob = (key) => watches.caches.zipJobs.get(key);
  const queues = createQueues(base, findZipJob);
  const leadership = { isOurs: false };
  const leads: () => boolean = () => leadership.isOurs && watches.hasSynced;
  const notifiers = createNotifiers(queues, findZipJob, leads);
  const limits = createProjectLimits(base, () => watches.caches);
  const common = { ...cacheOptions(base), ...limits, onProject: notifiers.onProject };
  const pause: Pause = createPause((reason) =>
    onPauseChange(base, reason, { ledger: admission.ledger, watches, ...notifiers }),
  );
  const caches: () => Caches = () => watches.caches;
  const rules = { ...limits, pause, leadership, caches };
  const admission: Admission = createAdmission(base, { ...rules, ...notifiers, ...queues });
  const { ledger, storeOutages } = admission;
  const surplus = createSurplus(base, limits.limitsIn, { ...queues, leadership, caches });
  const records = createJobRecords(findZipJob, { ...notifiers, ...base });
  const history = createHistory({ ...base, ...notifiers }, () => watches.caches);
  const unreachableSources = createUnreachableSources(base.metrics, log);
  const { lingeringPods, orphanedJobs } = createCleanup(base, leads, findZipJob);
  const watches: Watches = createWatches({
    ...common,
    ...admission,
    jobFollowers: [orphanedJobs],
    podFollowers: [surplus.finishedPods, unreachableSources, lingeringPods],
    followers: [storeOutages, ledger, surplus.surplusJobs, ...jobFollowers(base, records, history)],
    projectFollowers: history ? [history.projectUids] : [],
    hasHistory: history !== undefined,
    limited: [ledger, surplus.surplusJobs],
    ...notifiers,
  });
  return {
    ...base,
    ...queues,
    leadership,
    currentConfig: createCurrentConfig({ ...config, sealingKey: unreachableSources.sealingKey }, base.trust),
    watches,
    ...admission,
    ...surplus,
    ...limits,
    pause,
    children: createProjectChildren({ ...common, network: zipperNetworkOf(config) }),
    isNamespaceTerminating: createIsNamespaceTerminating({ namespaces: clients.namespaces, clock }),
    endpointNotes: createEndpointNotes((key) => queues.projectQueue.add(key)),
    ...records,
    dispatcher: createDispatcher(base, queues),
    history,
  };
}
