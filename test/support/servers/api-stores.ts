import { toCachedJob } from '#api/limits/cached-job.ts';
import type { StorageLedger } from '#api/limits/storage-ledger.ts';
import { UID_INDEX, uidIndex } from '#api/read/find-zip-job.ts';
import { createKeptResponses } from '#api/read/kept-responses.ts';
import { createAcceptedTokens } from '#api/tokens/accepted-tokens.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { ZipToken } from '#crds/zip-token.ts';
import type { Namespace, Secret } from '#runtime/kube/resources.ts';
import { createFakeObjects, createFakeObjectsKeptAs } from '../builders/fake-objects.ts';

/** What the API caches, in memory. */
export function createApiStores(storage: StorageLedger) {
  const accepted = createAcceptedTokens();
  const responses = createKeptResponses({ maxBytes: 16 * 1_024 * 1_024 });
  function toKept(job: ZipJob) {
    responses.keep(job);
    return toCachedJob(job);
  }
  return {
    responses,
    jobs: createFakeObjectsKeptAs(toKept, {
      indexes: { [UID_INDEX]: uidIndex },
      onChange: (change) => storage.note(change),
    }),
    secrets: createFakeObjects<Secret>(),
    buckets: createFakeObjects<ZipBucket>(),
    accepted,
    tokens: createFakeObjects<ZipToken>({ onChange: (change) => accepted.note(change) }),
    projects: createFakeObjects<ZipProject>(),
    /** The namespaces with a class. */
    namespaces: createFakeObjects<Namespace>(),
  };
}
