/** What the history keeps of a ZipJob: neither URLs and headers of sources, nor webhook URLs, nor names of Secrets. */
import { ANNOTATIONS } from '#crds/api-group.ts';
import { failureReasonOf } from '#crds/job-failures.ts';
import { type ObjectMeta, uidOf } from '#crds/object-meta.ts';
import { overallState } from '#crds/webhook-endpoints.ts';
import {
  type FilesFrom,
  isFinished,
  SPEC_DEFAULTS,
  type WebhookState,
  type ZipJob,
  type ZipJobSpec,
  type ZipJobStatus,
} from '#crds/zip-job.ts';
import { bucketOf, fileCount, zipJobId } from '#crds/zip-job-facts.ts';
import { defined } from '../collections/optional.ts';
import { redactText, removeUrls } from '../log/redact.ts';
import type { HistoryEntry, HistoryJob, HistoryOwner } from './history-job.ts';

/** Others may contain anything: `kubectl apply` stores the whole ZipJob in one. */
const KEPT_ANNOTATIONS = [
  ANNOTATIONS.acceptedAt,
  ANNOTATIONS.createdBy,
  ANNOTATIONS.fileListDeletedAt,
  ANNOTATIONS.requestSha256,
  ANNOTATIONS.runAgainOf,
] as const;

type Keep<T> = { readonly [K in keyof Required<T>]: 'keep' | 'drop' | ((value: Required<T>[K]) => T[K]) };

/** The fields of `from` that `rules` keeps. A field that the rules do not name is dropped. */
function pick<T extends object>(from: T, rules: Keep<T>): T {
  const kept = Object.entries(rules).map(([name, rule]: [string, unknown]) => {
    const value = from[name as keyof T];
    if (value === undefined || rule === 'drop') return [name, undefined];
    return [name, typeof rule === 'function' ? (rule as (value: unknown) => unknown)(value) : value];
  });
  return defined(Object.fromEntries(kept) as T) as T;
}

function keptAnnotations(annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    KEPT_ANNOTATIONS.flatMap((name) => {
      const value = annotations[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

const METADATA: Keep<ObjectMeta> = {
  name: 'keep',
  namespace: 'keep',
  uid: 'keep',
  creationTimestamp: 'keep',
  annotations: keptAnnotations,
  resourceVersion: 'drop',
  generation: 'drop',
  deletionTimestamp: 'drop',
  labels: 'drop',
  finalizers: 'drop',
  ownerReferences: 'drop',
};

/** Its digest covers the URLs. */
function withoutSecrets({ encoding, count }: FilesFrom): FilesFrom {
  return {
    secretNames: [],
    encoding,
    count,
    sha256: '',
  };
}

const SPEC: Keep<ZipJobSpec> = {
  bucketRef: ({ name }) => ({ name }),
  service: 'keep',
  key: 'keep',
  files: (files) => files.map(({ filename }) => ({ url: '', filename })),
  filesFrom: withoutSecrets,
  sourceBuckets: 'keep',
  metadata: 'keep',
  compression: 'keep',
  onSourceError: 'keep',
  manifestEntry: 'keep',
  manifestFormat: 'keep',
  fixedModificationTime: 'keep',
  activeDeadlineSeconds: 'keep',
  startDeadlineSeconds: 'keep',
  maxAttempts: 'keep',
  ttlSecondsAfterFinished: 'keep',
  priorityClassName: 'keep',
  resources: 'keep',
  queueName: 'keep',
  onConflict: 'keep',
  sha256: 'keep',
  portableNames: 'keep',
  duplicateNames: 'keep',
  sequential: 'keep',
  objectOptions: 'keep',
  webhook: ({ events, endpoints }) =>
    defined({ events, endpoints: endpoints?.map((one) => ({ name: one.name, events: one.events })) }),
  suspend: 'keep',
  cancel: 'keep',
};

/** Messages contain no URLs of sources by contract. What a library put into one is removed all the same. */
function safeText(text: string): string {
  return redactText(removeUrls(text));
}

function withSafeMessage<T extends { readonly message?: string }>(value: T): T {
  return value.message === undefined ? value : { ...value, message: safeText(value.message) };
}

function withSafeLog<T extends WebhookState>({
  log,
  ...state
}: T): Omit<T, 'log'> & Pick<WebhookState, 'log'> {
  return {
    ...state,
    ...(log && {
      log: log.map(({ error, ...delivery }) =>
        defined({ ...delivery, error: error === undefined ? undefined : safeText(error) }),
      ),
    }),
  };
}

const STATUS: Keep<ZipJobStatus> = {
  observedGeneration: 'drop',
  progressIntervalSeconds: 'drop',
  phase: 'keep',
  reason: 'keep',
  message: safeText,
  apiStatus: 'keep',
  acceptedAt: 'keep',
  startedAt: 'keep',
  finishedAt: 'keep',
  duration: 'keep',
  // Without the active pod, which the history cannot follow.
  job: ({ name, uid, podName, node }) => defined({ name, uid, podName, node }),
  attempts: (attempts) => attempts.map(withSafeMessage),
  attemptsTotal: 'keep',
  checkpointed: 'drop',
  inherits: 'drop',
  webhook: ({ endpoints, ...state }) =>
    defined({
      ...withSafeLog(state),
      endpoints: endpoints?.map(({ name, ...one }) => ({ ...withSafeLog(one), name })),
    }),
  conditions: (conditions) => conditions.map(withSafeMessage),
  progress: 'keep',
  upload: 'drop',
  result: 'keep',
  failure: withSafeMessage,
  sourceCheck: 'keep',
};

/**
 * The ZipJob as the history keeps it. Code that shows a ZipJob works on it unchanged. Inline files keep their names, with an empty
 * URL; of a stored list, only the count is left.
 */
export function archivedForm({ apiVersion, kind, metadata, spec, status }: ZipJob): ZipJob {
  return {
    apiVersion,
    kind,
    metadata: pick(metadata, METADATA),
    spec: pick(spec, SPEC),
    ...(status && { status: pick(status, STATUS) }),
  };
}

type Finished = Required<Pick<ZipJobStatus, 'phase' | 'finishedAt'>> & ZipJobStatus;

function finishedStatus(zipJob: ZipJob): Finished {
  const { metadata, status = {} } = zipJob;
  const { phase, finishedAt } = status;
  if (phase !== undefined && finishedAt !== undefined && isFinished(zipJob))
    return { ...status, phase, finishedAt };
  throw new TypeError(
    `the ZipJob ${metadata.namespace}/${metadata.name} is not finished, so it has no place in the history`,
  );
}

function durationMs(startedAt: string | null, finishedAt: string): number | null {
  return startedAt === null ? null : Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt));
}

function outcomeOf(zipJob: ZipJob) {
  const { phase, finishedAt, startedAt = null, reason = '', ...status } = finishedStatus(zipJob);
  return {
    phase,
    reason: failureReasonOf({ ...status, phase, reason }) ?? reason,
    startedAt,
    finishedAt,
    durationMs: durationMs(startedAt, finishedAt),
    bytes: status.result?.bytes ?? 0,
    webhookState: status.webhook === undefined ? null : overallState(status.webhook),
  };
}

function originOf({ metadata: { annotations = {} } }: ZipJob) {
  return {
    createdBy: annotations[ANNOTATIONS.createdBy] ?? null,
    runAgainOf: annotations[ANNOTATIONS.runAgainOf] ?? null,
    requestSha256: annotations[ANNOTATIONS.requestSha256] ?? null,
  };
}

/**
 * The row of a finished ZipJob of the API server.
 * @throws TypeError for a ZipJob that is not finished
 */
export function toHistoryJob(zipJob: ZipJob, { projectUid, clusterUid }: HistoryOwner): HistoryJob {
  const { namespace, name, creationTimestamp = '' } = zipJob.metadata;
  const { service, name: bucketName } = bucketOf(zipJob);
  return {
    projectUid,
    clusterUid,
    uid: uidOf(zipJob),
    id: zipJobId(zipJob),
    namespace,
    name,
    createdAt: creationTimestamp,
    service,
    bucketName,
    key: zipJob.spec.key,
    files: fileCount(zipJob),
    ...outcomeOf(zipJob),
    ...originOf(zipJob),
  };
}

/** Everything that the history stores of a finished ZipJob. @throws TypeError like `toHistoryJob` */
export function toHistoryEntry(zipJob: ZipJob, owner: HistoryOwner): HistoryEntry {
  const { spec, ...others } = archivedForm(zipJob);
  const { metadata = SPEC_DEFAULTS.metadata, ...detail } = spec;
  return {
    job: toHistoryJob(zipJob, owner),
    metadata,
    detail: JSON.stringify({ ...others, spec: detail }),
  };
}

/** The archived form of a stored job. */
export function fromHistoryEntry({ metadata, detail }: Pick<HistoryEntry, 'metadata' | 'detail'>): ZipJob {
  const zipJob = JSON.parse(detail) as ZipJob;
  return { ...zipJob, spec: { ...zipJob.spec, metadata } };
}
