import { createHash } from 'node:crypto';
import {
  ANNOTATIONS,
  bucketResourceName,
  FINALIZER,
  GROUP_VERSION,
  LABELS,
  zipJobName,
} from '#crds/api-group.ts';
import type { ZipJob, ZipJobSpec } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { defined } from '#runtime/collections/optional.ts';
import type { Secret } from '#runtime/kube/resources.ts';
import { sourceBucketsField } from '#runtime/zip-request/bucket-url.ts';
import { type FileList, fileListBytes } from '#runtime/zip-request/file-list.ts';
import { fileListSecrets, filesFromOf, jobDefaults, webhookSnapshot } from '#runtime/zip-request/job-spec.ts';
import { chosenManifest } from '#runtime/zip-request/manifest-choice.ts';
import { mergeObjectOptions } from '#runtime/zip-request/object-options.ts';
import type { RequestOptions } from './check-options.ts';
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

function labels(instance: string, component: string): Record<string, string> {
  return {
    [LABELS.name]: 'zipjobs',
    [LABELS.instance]: instance,
    [LABELS.component]: component,
    [LABELS.partOf]: 'zipjobs',
    [LABELS.managedBy]: 'zipjobs-api',
  };
}

/** SHA-256 (hex) of the validated request; two requests with the same hash are the same request. */
export function requestSha256({
  list,
  options: { sequential, ...options },
  ...request
}: Omit<PackedRequest, 'list' | 'sourceBuckets' | 'statedBytes'> & {
  readonly list: Pick<FileList, 'sha256' | 'count'>;
}): string {
  return createHash('sha256')
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
}

/** What the request chooses; it takes precedence over the defaults of the project. The manifest follows from both. */
function chosenFields(
  { manifest, objectOptions, ...fields }: RequestOptions,
  { jobDefaults: defaults = {} }: ZipProject['spec'],
): Partial<ZipJobSpec> {
  return {
    ...fields,
    ...(objectOptions && {
      objectOptions: mergeObjectOptions(defaults.objectOptions ?? {}, objectOptions),
    }),
    ...chosenManifest(defined({ manifest }), defaults),
  };
}

/** The ZipJob of an accepted request. */
export function toZipJob(input: ZipJobInput): ZipJob {
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
      filesFrom: filesFromOf(name, list),
      ...sourceBucketsField(request.sourceBuckets),
      metadata: request.metadata,
      ...chosenFields(request.options, project.spec),
      ...webhookSnapshot(project.spec),
    },
  };
}

/** The file-list Secrets of an existing ZipJob, which owns them. */
export function toFileListSecrets(
  job: ZipJob & { readonly metadata: { readonly uid: string } },
  list: FileList,
  instance: string,
): IteratorObject<Secret, undefined> {
  return fileListSecrets(job, list, labels(instance, 'file-list'));
}
