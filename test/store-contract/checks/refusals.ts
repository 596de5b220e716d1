/** The names of errors, which decide whether a job fails at once and what its user reads. */
import type { FailureCode } from '#crds/exit-codes.ts';
import type { Store } from '#zipper-image/store/store.ts';
import { StoreError } from '#zipper-image/store/store-errors.ts';
import { type Check, demand } from '../check.ts';
import { ATTEMPT, codeOf, errorOf, type StoreChange } from '../world.ts';

async function startAndAbort(store: Store, key: string): Promise<void> {
  await store.abortUpload({ key, uploadId: await store.createUpload(key, ATTEMPT) });
}

interface Wanted {
  readonly change: StoreChange;
  readonly code: FailureCode;
  /** What follows if the store accepts the request. Absent: zipjobs cannot use the store. */
  readonly ifAccepted?: string;
}

/** A check that the store refuses to start an upload with what the failure code means. */
function refuses(name: string, { change, code, ifAccepted }: Wanted): Check {
  return {
    name,
    run: async ({ open, key }) => {
      const error = await errorOf(startAndAbort(open(change), key()));
      if (error === undefined && ifAccepted !== undefined) return ifAccepted;
      demand(error !== undefined, 'it accepts the request');
      if (error instanceof StoreError && error.code === code) return undefined;
      const said =
        error instanceof StoreError ? `${error.storeCode}, which means ${error.code}` : codeOf(error);
      return `it says ${said} instead of ${code}`;
    },
  };
}

export const REFUSAL_CHECKS: readonly Check[] = [
  refuses('refuses a wrong secret key', {
    change: { keys: { secretAccessKey: 'a'.repeat(40) } },
    code: 'BucketCredentialsInvalid',
  }),
  refuses('refuses an unknown access key ID', {
    change: { keys: { accessKeyId: 'ZIPJOBSUNKNOWNKEY000' } },
    code: 'BucketCredentialsInvalid',
  }),
  refuses('says that a bucket does not exist', {
    change: { bucket: { name: 'zipjobs-no-such-bucket-0' } },
    code: 'BucketNotFound',
    ifAccepted: 'it creates the bucket, so a wrong name is not noticed',
  }),
  {
    name: 'refuses or ignores a wrong region',
    run: async ({ open, key }) => {
      const error = await errorOf(startAndAbort(open({ bucket: { region: 'xx-wrong-9' } }), key()));
      if (error === undefined || (error instanceof StoreError && error.code === 'BucketMisconfigured'))
        return undefined;
      return `it says ${codeOf(error)}, which does not name the region`;
    },
  },
  {
    name: 'says that an object does not exist',
    run: async ({ store, key }) => {
      demand((await store.head(key())) === undefined, 'HEAD finds an object that does not exist');
      return undefined;
    },
  },
];
