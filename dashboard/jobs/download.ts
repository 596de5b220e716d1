import { createUserClient } from '#administration/changes/user-client.ts';
import { AdministrationError } from '#administration/errors/administration-error.ts';
import { bucketSecretName } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { BUCKET_SECRET_KEYS } from '#crds/zipper-contract.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import { toStoreRules } from '#runtime/store/settings.ts';
import { locateStore, StoreLocationError } from '#runtime/store/store-location.ts';
import { type GoTo, PageError, type PageRequest } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { findJob } from './find-job.ts';
import { signedDownload } from './signed-download.ts';

type Deps = Pick<PageDeps, 'config' | 'history'>;

function missing(what: string): PageError {
  return new PageError(409, 'Not possible', what);
}

function credentialsGone(bucket: string): PageError {
  return missing(
    `The bucket ${bucket} or its credentials no longer exist, so you cannot download the archive.`,
  );
}

/** Reads the bucket of a job and checks its store by the rules of the zipper, so that no credentials sign for another one. */
async function readStore({ config }: Deps, { user, namespace }: PageRequest, name: string) {
  const bucket = await createUserClient(user.kube, RESOURCES.zipBuckets).get(namespace, name);
  if (bucket === undefined) throw credentialsGone(name);
  const { bucketName, credentials, ...place } = bucket.spec;
  if (credentials)
    throw missing(
      `The bucket ${name} uses a role and has no stored credentials that could sign a link. Download the archive at your provider.`,
    );
  try {
    return { bucketName, store: locateStore({ name: bucketName, ...place }, toStoreRules(config)) };
  } catch (error) {
    throw error instanceof StoreLocationError
      ? missing(`The bucket ${name} has invalid settings: ${error.message}.`)
      : error;
  }
}

/** Why `download` would refuse; empty if it would not. A bucket that cannot be read now is no reason: the download reports it. */
export async function downloadObstacle(
  deps: Deps,
  request: PageRequest,
  { spec }: Pick<ZipJob, 'spec'>,
): Promise<string> {
  try {
    await readStore(deps, request, spec.bucketRef.name);
    return '';
  } catch (error) {
    if (error instanceof PageError) return error.message;
    if (error instanceof AdministrationError && error.code !== 'Unauthorized') return '';
    throw error;
  }
}

/** Redirects to a presigned URL, which is not stored and is signed with credentials that the user may read. */
export async function download(deps: Deps, request: PageRequest): Promise<GoTo> {
  const { zipJob: job } = await findJob(deps, request);
  const { user, namespace } = request;
  if (job.status?.phase !== 'Succeeded') throw missing('This job has no archive.');
  const { name } = job.spec.bucketRef;
  const archive = await readStore(deps, request, name);
  const secretName = bucketSecretName(name);
  const secret = await createUserClient(user.kube, RESOURCES.secrets).get(namespace, secretName);
  if (secret === undefined) throw credentialsGone(name);
  const { data = {} } = secret;
  function valueOf(key: string): string {
    return Buffer.from(data[key] ?? '', 'base64').toString('utf8');
  }
  const to = await signedDownload({
    ...archive,
    key: job.spec.key,
    credentials: {
      accessKeyId: valueOf(BUCKET_SECRET_KEYS.accessKeyId),
      secretAccessKey: valueOf(BUCKET_SECRET_KEYS.secretAccessKey),
      // Empty without one.
      sessionToken: valueOf(BUCKET_SECRET_KEYS.sessionToken),
    },
  });
  return { kind: 'go', to };
}
