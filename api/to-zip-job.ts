import { createHash } from 'node:crypto';
import {
  ANNOTATIONS,
  bucketResourceName,
  FINALIZER,
  fileListSecretName,
  GROUP_VERSION,
  LABELS,
  zipJobName,
} from '#crds/api-group.ts';
import {
  COMPRESSIONS,
  ON_CONFLICTS,
  ON_SOURCE_ERRORS,
  PORTABLE_NAMES,
  WEBHOOK_EVENTS,
  type ZipJob,
  type ZipJobSpec,
} from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { FILE_LIST_SECRET_KEY } from '#crds/zipper-contract.ts';
import type { Secret } from '#runtime/kube/resources.ts';
import { mergeObjectOptions } from '#runtime/object-options.ts';
import { defined } from '#runtime/optional.ts';
import { chosenManifest, type RequestOptions } from './check-options.ts';
import { type FileList, fileListBytes } from './file-list.ts';
import type { PackedRequest } from './read-request.ts';

export interface ZipJobInput {
  readonly request: PackedRequest;
  readonly project: ZipProject;
  readonly uuid: string;
  /** Name of the Helm release, for the instance label. */
  readonly instance: string;
  readonly acceptedAt: Date;
  /** Name of the ZipToken. */
  readonly createdBy: string;
  readonly requestId: string;
  readonly traceparent?: string | undefined;
}

const labels = (instance: string, component: string): Record<string, string> => ({
  [LABELS.name]: 'zipjobs',
  [LABELS.instance]: instance,
  [LABELS.component]: component,
  [LABELS.partOf]: 'zipjobs',
  [LABELS.managedBy]: 'zipjobs-api',
});

/** SHA-256 (hex) of the validated request; two requests with the same hash are the same request. */
export const requestSha256 = ({
  list,
  options: { sequential, ...options },
  ...request
}: Omit<PackedRequest, 'list'> & { readonly list: Pick<FileList, 'sha256' | 'count'> }): string =>
  createHash('sha256')
    .update(
      JSON.stringify([
        request.service,
        request.bucketName,
        request.key,
        request.metadata,
        list.count,
        list.sha256,
        ...(sequential === undefined ? [] : [sequential]),
        ...(Object.keys(options).length === 0 ? [] : [options]),
      ]),
    )
    .digest('hex');

/** The field with the value if it is a known one; otherwise no field. */
const known = <K extends string, V extends string>(
  field: K,
  value: string | undefined,
  values: readonly V[],
): Partial<Record<K, V>> => {
  const found = values.find((candidate) => candidate === value);
  const fields: Partial<Record<K, V>> = {};
  if (found !== undefined) fields[field] = found;
  return fields;
};

const jobDefaults = ({ jobDefaults: defaults = {} }: ZipProject['spec']): Partial<ZipJobSpec> => ({
  ...known('compression', defaults.compression, COMPRESSIONS),
  ...known('onSourceError', defaults.onSourceError, ON_SOURCE_ERRORS),
  ...known('portableNames', defaults.portableNames, PORTABLE_NAMES),
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
});

/** What the request chooses; it takes precedence over the defaults of the project. The manifest follows from both. */
const chosenFields = (
  { manifest, objectOptions, ...fields }: RequestOptions,
  { jobDefaults: defaults = {} }: ZipProject['spec'],
): Partial<ZipJobSpec> => ({
  ...fields,
  ...(objectOptions && {
    objectOptions: mergeObjectOptions(defaults.objectOptions ?? {}, objectOptions),
  }),
  ...chosenManifest(defined({ manifest }), defaults),
});

/** A copy of the project's webhook, so that later edits do not affect this job. */
const webhookSnapshot = ({ webhook }: ZipProject['spec']): Pick<ZipJobSpec, 'webhook'> => {
  if (webhook === undefined || webhook.enabled === false) return {};
  const events = webhook.events ?? WEBHOOK_EVENTS;
  return events.length === 0 ? {} : { webhook: { ...defined({ url: webhook.url }), events: [...events] } };
};

/** The ZipJob of an accepted request. */
export const toZipJob = (input: ZipJobInput): ZipJob => {
  const { request, project } = input;
  const { list } = request;
  const name = zipJobName(input.uuid);
  return {
    apiVersion: GROUP_VERSION,
    kind: 'ZipJob',
    metadata: {
      name,
      namespace: project.metadata.namespace,
      labels: labels(input.instance, 'archive'),
      // Saves the controller a write before it creates the Job.
      finalizers: [FINALIZER],
      annotations: {
        [ANNOTATIONS.acceptedAt]: input.acceptedAt.toISOString(),
        [ANNOTATIONS.requestSha256]: requestSha256(request),
        [ANNOTATIONS.createdBy]: input.createdBy,
        [ANNOTATIONS.requestId]: input.requestId,
        [ANNOTATIONS.fileListBytes]: String(fileListBytes(list)),
        ...defined({ [ANNOTATIONS.traceparent]: input.traceparent }),
      },
    },
    spec: {
      ...jobDefaults(project.spec),
      bucketRef: { name: bucketResourceName(request.service, request.bucketName) },
      service: request.service,
      key: request.key,
      filesFrom: {
        secretNames: list.chunks.map((_, index) => fileListSecretName(name, index)),
        encoding: 'gzip+json',
        count: list.count,
        sha256: list.sha256,
      },
      metadata: request.metadata,
      ...chosenFields(request.options, project.spec),
      ...webhookSnapshot(project.spec),
    },
  };
};

/** The file-list Secrets of an existing ZipJob, which owns them. */
export const toFileListSecrets = (
  job: ZipJob & { readonly metadata: { readonly uid: string } },
  list: FileList,
  instance: string,
): IteratorObject<Secret, undefined> =>
  list.chunks.entries().map(([index, chunk]) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: fileListSecretName(job.metadata.name, index),
      namespace: job.metadata.namespace,
      labels: labels(instance, 'file-list'),
      ownerReferences: [
        { apiVersion: GROUP_VERSION, kind: 'ZipJob', name: job.metadata.name, uid: job.metadata.uid },
      ],
    },
    type: 'Opaque',
    immutable: true,
    data: { [FILE_LIST_SECRET_KEY]: chunk.toString('base64') },
  }));
