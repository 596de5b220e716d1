/** Looks for an object that must not be replaced. */
import { retry } from '#runtime/time/retry.ts';
import { type AbortDeps, hasResponse } from './abort-upload.ts';
import { READ_PERMISSION } from './evidence.ts';
import { StoreError } from './store-errors.ts';

function uncheckedKey(error: StoreError): StoreError {
  return new StoreError(
    `Could not check whether an object exists at the key, which onConflict \`fail\` requires at this store. Grant the credentials ${READ_PERMISSION}`,
    {
      code: error.code,
      retryable: false,
      storeCode: error.storeCode,
      httpStatus: error.httpStatus,
      cause: error,
    },
  );
}

/**
 * Reports an object that must not be replaced before anything is sent. The check may be denied at a store whose
 * condition at Complete decides.
 */
export async function refuseExisting(deps: AbortDeps, key: string): Promise<void> {
  const { store, log, signal } = deps;
  let found: unknown;
  try {
    found = await retry(() => store.head(key, signal), deps.retryPolicy(), signal);
  } catch (error) {
    if (!(error instanceof StoreError) || !hasResponse(error)) throw error;
    if (!store.capabilities.conditionalComplete) throw uncheckedKey(error);
    log.info({ err: error }, 'the store does not report whether an object exists at the key');
  }
  if (found === undefined) return;
  throw new StoreError(
    'Could not write the archive: an object already exists at the key, and onConflict is `fail`. Delete the object, use another key, or set onConflict to `replace`',
    {
      code: 'ObjectExists',
      retryable: false,
      storeCode: 'PreconditionFailed',
    },
  );
}
