/** What every new ZipJob takes from its project and its file list, in the API and in the dashboard. */
import { fileListSecretName } from '#crds/api-group.ts';
import { ownerReferenceOf } from '#crds/object-meta.ts';
import {
  COMPRESSIONS,
  DUPLICATE_NAMES,
  type FilesFrom,
  type JobEndpoint,
  ON_CONFLICTS,
  ON_SOURCE_ERRORS,
  PORTABLE_NAMES,
  WEBHOOK_EVENTS,
  type ZipJob,
  type ZipJobSpec,
} from '#crds/zip-job.ts';
import type { ProjectEndpoint, ZipProject } from '#crds/zip-project.ts';
import { FILE_LIST_SECRET_KEY } from '#crds/zipper-contract.ts';
import { defined } from '../collections/optional.ts';
import type { Secret } from '../kube/resources.ts';
import type { FileList } from './file-list.ts';

/** The field with the value if it is a known one; otherwise no field. */
function known<K extends string, V extends string>(
  field: K,
  value: string | undefined,
  values: readonly V[],
): Partial<Record<K, V>> {
  const found = values.find((candidate) => candidate === value);
  const fields: Partial<Record<K, V>> = {};
  if (found !== undefined) fields[field] = found;
  return fields;
}

/** The defaults of the project for a new job. */
export function jobDefaults({ jobDefaults: defaults = {} }: ZipProject['spec']): Partial<ZipJobSpec> {
  return {
    ...known('compression', defaults.compression, COMPRESSIONS),
    ...known('onSourceError', defaults.onSourceError, ON_SOURCE_ERRORS),
    ...known('portableNames', defaults.portableNames, PORTABLE_NAMES),
    ...known('duplicateNames', defaults.duplicateNames, DUPLICATE_NAMES),
    ...known('onConflict', defaults.onConflict, ON_CONFLICTS),
    ...(defaults.activeDeadlineSeconds === undefined
      ? {}
      : { activeDeadlineSeconds: defaults.activeDeadlineSeconds }),
    ...defined({
      maxAttempts: defaults.maxAttempts,
      sequential: defaults.sequential,
      sha256: defaults.sha256,
      objectOptions: defaults.objectOptions,
      fixedModificationTime: defaults.fixedModificationTime,
    }),
    ...(defaults.startDeadlineSeconds === undefined
      ? {}
      : { startDeadlineSeconds: defaults.startDeadlineSeconds }),
    ...(defaults.ttlSecondsAfterFinished && { ttlSecondsAfterFinished: defaults.ttlSecondsAfterFinished }),
    ...defined({ queueName: defaults.queueName }),
  };
}

/** Undefined for an endpoint to which no event is sent. */
function endpointSnapshot({
  url,
  events = WEBHOOK_EVENTS,
  enabled,
}: ProjectEndpoint): JobEndpoint | undefined {
  return enabled === false || events.length === 0 ? undefined : { ...defined({ url }), events: [...events] };
}

/** A copy of the project's webhook, so that later edits do not affect this job. */
export function webhookSnapshot({ webhook }: ZipProject['spec']): Pick<ZipJobSpec, 'webhook'> {
  if (webhook === undefined) return {};
  const first = endpointSnapshot(webhook);
  const endpoints = (webhook.endpoints ?? []).flatMap(({ name, ...endpoint }) => {
    const snapshot = endpointSnapshot(endpoint);
    return snapshot ? [{ name, ...snapshot }] : [];
  });
  if (endpoints.length === 0) return first ? { webhook: first } : {};
  return { webhook: { ...(first ?? { events: [] }), endpoints } };
}

/** Where the list of a ZipJob is. */
export function filesFromOf(zipJobName: string, list: FileList): FilesFrom {
  return {
    secretNames: list.chunks.map((_, index) => fileListSecretName(zipJobName, index)),
    encoding: 'gzip+json',
    count: list.count,
    sha256: list.sha256,
  };
}

/** The file-list Secrets of an existing ZipJob, which owns them. */
export function fileListSecrets(
  job: ZipJob,
  list: FileList,
  labels: Readonly<Record<string, string>>,
): IteratorObject<Secret, undefined> {
  return list.chunks.entries().map(([index, chunk]) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: fileListSecretName(job.metadata.name, index),
      namespace: job.metadata.namespace,
      labels,
      ownerReferences: [ownerReferenceOf(job, 'ZipJob')],
    },
    type: 'Opaque',
    immutable: true,
    data: { [FILE_LIST_SECRET_KEY]: chunk.toString('base64') },
  }));
}
