/** Runs the task of a pod: archive, recover or check-bucket. Reports the result by exit code and termination message. */

import { join } from 'node:path';
import { EXIT_CODES } from '#crds/exit-codes.ts';
import type { TerminationMessage, UploadsLeft } from '#crds/termination-message.ts';
import { type ChosenObjectOptions, type FileEntry, SPEC_DEFAULTS } from '#crds/zip-job.ts';
import type { ZipperMode } from '#crds/zipper-contract.ts';
import { CONTRACT_VERSION } from '#crds/zipper-contract.ts';
import type { ArchiveTask, TaskBucket, ZipperTask } from '#crds/zipper-task.ts';
import { defined } from '#runtime/collections/optional.ts';
import { createEgressPolicy, type EgressPolicy } from '#runtime/egress/egress-policy.ts';
import { parseHostPort } from '#runtime/egress/host-port.ts';
import { proxyFor } from '#runtime/egress/proxy/settings.ts';
import { toEgressOptions } from '#runtime/egress/settings.ts';
import { createLogger, type Logger } from '#runtime/log/log.ts';
import { traceFields } from '#runtime/log/traceparent.ts';
import { type Lifetime, run } from '#runtime/process/lifecycle.ts';
import { assertTlsVerification } from '#runtime/process/tls-verification.ts';
import { toStoreRules } from '#runtime/store/settings.ts';
import { createServerClock } from '#runtime/time/server-clock.ts';
import { concurrentParts } from '#runtime/zip-request/part-sizes.ts';
import {
  type PodConfig,
  readPodConfig,
  SHUTDOWN_TIMEOUT_MS,
  terminationLogPath,
  withTaskSettings,
  type ZipperConfig,
} from './config.ts';
import { logConsole } from './log-console.ts';
import { exitCodeOf, toFailure as failureOf } from './status/failure.ts';
import type { OwnZipJob } from './status/own-zip-job.ts';
import { writeTerminationMessage } from './status/termination.ts';
import { createUnreachableCauses } from './status/unreachable-causes.ts';
import { readMountedKeys } from './store/mounted-keys.ts';
import type { RenewableCredentials } from './store/session.ts';
import type { SourceStores } from './store/source-stores.ts';
import type { Store } from './store/store.ts';
import { storeEgressPolicy } from './store/store-egress-policy.ts';
import { createUploadsLeft } from './store/uploads-left.ts';
import { assertSourceBuckets, inlineFiles, readTask } from './tasks/task.ts';
import { operatorTrust, storeTrust } from './trust.ts';

interface Process<C = ZipperConfig> {
  readonly config: C;
  readonly log: Logger;
  readonly lifetime: Lifetime;
}

/** A termination message without the common fields. */
type Outcome = TerminationMessage extends infer M
  ? M extends TerminationMessage
    ? Omit<M, 'contractVersion' | 'sealed' | keyof UploadsLeft>
    : never
  : never;

/**
 * How long the zipper waits for new keys when the store rejects those of the Secret. A recovery must still have the time to use them.
 * Users wait for a test, and its new pod has the current keys.
 */
function keysLimitMs({
  storeKeysLimitMs,
  recoveryLimitMs,
}: ZipperConfig): Readonly<Record<ZipperMode, number>> {
  return {
    archive: storeKeysLimitMs,
    recover: Math.min(storeKeysLimitMs, 0.75 * recoveryLimitMs),
    'check-bucket': 0,
  };
}

interface Mounted {
  readonly webIdentity?: TaskBucket['webIdentity'] | undefined;
  /** Has the keys, or the token. */
  readonly directory: string;
}

/** Keys from the Secret, or credentials of a role, whose modules are loaded only for a bucket without keys. */
async function openCredentials(
  { config, log, lifetime }: Process,
  task: ZipperTask,
  { webIdentity, directory }: Mounted,
): Promise<RenewableCredentials> {
  if (!webIdentity) {
    const limitMs = keysLimitMs(config)[task.mode];
    return readMountedKeys(directory, { log, limitMs, stopping: lifetime.stopping });
  }
  const reach = { trust: operatorTrust(config), proxy: proxyFor('store', config, apiServerHosts(config)) };
  const { openWebIdentity } = await import('./store/web-identity/open-web-identity.ts');
  // One name for all pods of a ZipJob: it is part of the initiator by which recovery finds their uploads.
  const owner = task.mode === 'check-bucket' ? config.podUid : task.zipJobUid;
  const settings = { ...config, bucketDir: directory, sessionOwner: owner };
  const credentials = openWebIdentity(webIdentity, settings, { log, ...reach });
  lifetime.resources.defer(() => credentials.close());
  return credentials;
}

/** The S3 client is the largest module. It is loaded only when needed, and while other operations wait. */
async function openStore(
  process: Process,
  task: ZipperTask,
  objectOptions: ChosenObjectOptions = {},
): Promise<Store> {
  const { config, lifetime } = process;
  const { bucket } = task;
  const trust = operatorTrust(config);
  const proxy = proxyFor('store', config, apiServerHosts(config));
  const [{ createStore }, { assertChosenOptions }, { providerOf }, agents, credentials] = await Promise.all([
    import('./store/store.ts'),
    import('./store/store-capabilities.ts'),
    import('./store/providers.ts'),
    import('#runtime/egress/http-agents.ts'),
    openCredentials(process, task, { webIdentity: bucket.webIdentity, directory: config.bucketDir }),
  ]);
  const provider = providerOf(bucket, toStoreRules(config));
  assertChosenOptions(objectOptions, bucket, provider.kind);
  // One more than parts that are sent, for other requests during the upload.
  const options = {
    connections: concurrentParts(config) + 1,
    trust: storeTrust(config, bucket),
    // Users choose the authorities of a bucket, and the operator the proxy.
    proxyTrust: trust,
    proxy,
    connectTimeoutMs: config.storeConnectTimeoutMs,
  };
  const store = createStore({
    objectOptions,
    bucket,
    provider,
    credentials,
    agents: provider.guarded
      ? agents.createGuardedHttpAgents(
          storeEgressPolicy(config, config.storeAllowedHosts, provider.endpoint),
          options,
        )
      : agents.createHttpAgents(options),
    connectTimeoutMs: config.storeConnectTimeoutMs,
    idleTimeoutMs: config.storeIdleTimeoutMs,
  });
  lifetime.resources.defer(() => store.close());
  return store;
}

/** What locates files in buckets; without such buckets, files stay as they are. */
async function openSourceStores(process: Process, task: ArchiveTask): Promise<Pick<SourceStores, 'locate'>> {
  const { config, lifetime } = process;
  const { sourceBuckets: buckets = [] } = task;
  if (buckets.length === 0) return { locate: (files) => files };
  const { createSourceStores } = await import('./store/source-stores.ts');
  const stores = createSourceStores({
    buckets,
    rules: toStoreRules(config),
    settings: config,
    trustOf: (bucket) => storeTrust(config, bucket),
    proxyTrust: operatorTrust(config),
    proxy: proxyFor('store', config, apiServerHosts(config)),
    openCredentials: ({ webIdentity }, index) =>
      openCredentials(process, task, { webIdentity, directory: join(config.sourcesDir, String(index)) }),
  });
  lifetime.resources.defer(() => stores[Symbol.asyncDispose]());
  return stores;
}

/** Never behind a proxy. */
function apiServerHosts(config: ZipperConfig): readonly string[] {
  return [config.apiServerHost, ...config.egressApiServerAddresses.map((text) => parseHostPort(text).host)];
}

async function openApis({ config, lifetime }: Process, task: ArchiveTask) {
  const { createStatusApi } = await import('./status/status-api.ts');
  const { createCheckpointApi } = await import('./status/checkpoint-api.ts');
  const host = config.apiServerHost.includes(':') ? `[${config.apiServerHost}]` : config.apiServerHost;
  const options = {
    server: `https://${host}:${config.apiServerPort}`,
    serviceAccountDir: config.serviceAccountDir,
    target: { namespace: task.namespace, name: task.zipJob, uid: task.zipJobUid },
    requestTimeoutMs: config.statusRequestTimeoutMs,
    clock,
  };
  const statusApi = await createStatusApi(options);
  lifetime.resources.defer(() => statusApi.close());
  const checkpointApi = await createCheckpointApi(options);
  lifetime.resources.defer(() => checkpointApi.close());
  return { statusApi, checkpointApi };
}

const uploadsLeft = createUploadsLeft();
/** The failure, with what became of the upload. */
function toFailure(error: unknown) {
  return { ...failureOf(error), ...uploadsLeft.end() };
}

/** The times in the status are those of the API server, so that a wrong clock of the node does not matter. */
const clock = createServerClock();

async function openSourceAgent({ config, lifetime }: Process, policy: EgressPolicy) {
  const { createGuardedAgent } = await import('#runtime/egress/guarded-agent.ts');
  const agent = createGuardedAgent(policy, {
    connections: config.sourcePerHostConnections,
    connectTimeoutMs: config.sourceConnectTimeoutMs,
    dnsTimeoutMs: config.sourceDnsTimeoutMs,
    trust: operatorTrust(config),
    proxy: proxyFor('source', config, apiServerHosts(config)),
  });
  lifetime.resources.defer(() => agent.destroy());
  return agent;
}

/** Set by a task with a sealing key. */
let sealed: () => Pick<TerminationMessage, 'sealed'> = () => ({});

async function readFiles(
  { config, lifetime }: Process,
  task: ArchiveTask,
  zipJob: OwnZipJob,
): Promise<readonly FileEntry[]> {
  assertSourceBuckets(task, zipJob);
  if (task.files.from === 'inline') return inlineFiles(zipJob, task.files.count);
  const { readFileList } = await import('./sources/file-list.ts');
  return readFileList({
    ...task.files,
    directory: config.filesDir,
    maxBytes: config.fileListMaxBytes,
    signal: lifetime.stopping,
  });
}

async function archive(process: Process, task: ArchiveTask): Promise<Outcome> {
  const { config, log, lifetime } = process;
  const { sealingKey } = task;
  const causes = createUnreachableCauses();
  if (sealingKey !== undefined) sealed = () => ({ sealed: causes.sealed(sealingKey) });
  const { statusApi, checkpointApi } = await openApis(process, task);
  const { zipToS3 } = await import('./tasks/zip-to-s3.ts');
  const { createSourceReader } = await import('./sources/prefetch.ts');
  const { createBoundaryProbe } = await import('./sources/boundary-probe.ts');
  const policy = createEgressPolicy(toEgressOptions(config, config.apiServerHost));
  const agent = await openSourceAgent(process, policy);
  const stores = await openSourceStores(process, task);
  const reportFailures = (task.onSourceError ?? SPEC_DEFAULTS.onSourceError) !== 'Fail';
  const sequential = task.sequential ?? config.sourceSequential;
  const sources = {
    agent,
    policy,
    settings: config,
    log,
    reportFailures,
    sequential,
    onUnreachable: causes.see,
  };
  const result = await zipToS3({
    task,
    podUid: config.podUid,
    settings: config,
    log,
    statusApi,
    checkpointApi,
    stopping: lifetime.stopping,
    uploadsLeft,
    now: () => clock.date(),
    toFailure,
    openStore: () => openStore(process, task, task.objectOptions),
    readFiles: (zipJob) => readFiles(process, task, zipJob),
    openSources: (files, signal, continued) =>
      createSourceReader({ ...sources, files: stores.locate(files), signal, ...defined({ continued }) }),
    openProbe: (files, signal) => createBoundaryProbe({ ...sources, files: stores.locate(files), signal }),
  });
  return { mode: 'archive', result };
}

async function runTask(pod: Process<PodConfig>, onMode: (mode: ZipperMode) => void): Promise<Outcome> {
  const { log, lifetime } = pod;
  const { stopping } = lifetime;
  const task = await readTask(pod.config.taskFile);
  onMode(task.mode);
  const config = withTaskSettings(pod.config, task.settings);
  const process = { ...pod, config };
  if (task.mode === 'archive') return archive(process, task);
  const store = await openStore(process, task);
  if (task.mode === 'recover') {
    const { recover } = await import('./tasks/recover.ts');
    const { abortFailed: onAbortFailed, completeSent: onCompleteSent } = uploadsLeft;
    const deps = { task, store, settings: config, log, stopping, onAbortFailed, onCompleteSent };
    const recovered = await recover(deps);
    return { mode: 'recover', recovered };
  }
  const { checkBucket } = await import('./tasks/check-bucket.ts');
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(config.recoveryLimitMs)]);
  const { podUid } = config;
  const check = await checkBucket({ store, settings: config, log, podUid, signal, toFailure });
  return { mode: 'check-bucket', check };
}

const { env } = process;
const terminationLog = terminationLogPath(env);
let mode: ZipperMode = 'archive';

function report(outcome: Outcome): Promise<void> {
  return writeTerminationMessage(terminationLog, {
    contractVersion: CONTRACT_VERSION,
    ...outcome,
    ...uploadsLeft.reported(),
    ...sealed(),
  });
}

async function fail(error: unknown, log: Logger): Promise<number> {
  const failure = toFailure(error);
  log.error({ err: error, failure }, 'the task failed');
  await report({ mode, failure });
  return exitCodeOf(failure);
}

async function start(): Promise<void> {
  let config: PodConfig;
  try {
    assertTlsVerification(env);
    config = readPodConfig(env);
  } catch (error) {
    process.exitCode = await fail(error, createLogger('zipper', { level: 'info', keepsUrls: false }));
    return;
  }
  const log = createLogger('zipper', { level: config.logLevel, keepsUrls: false }).child(
    traceFields(config.traceparent),
  );
  logConsole(log);
  async function task(lifetime: Lifetime): Promise<number> {
    try {
      const outcome = await runTask({ config, log, lifetime }, (read) => {
        mode = read;
      });
      log.info(outcome, 'the task succeeded');
      await report(outcome);
      return EXIT_CODES.ok;
    } catch (error) {
      return await fail(error, log);
    }
  }
  await run(task, { log, shutdownTimeoutMs: SHUTDOWN_TIMEOUT_MS });
}

// Node ends with 13, an exit code of a permanent failure here, if a promise is never resolved and nothing else is pending.
process.exitCode = EXIT_CODES.internal;
await start();
// When Node ends by itself, it removes the signal handlers first: a late SIGTERM would replace the exit code of a finished job.
process.exit();
