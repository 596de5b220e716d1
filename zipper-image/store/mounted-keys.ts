/** The keys in the mounted Secret of a bucket, which the kubelet replaces in a running pod some time after the Secret changes. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { BUCKET_SECRET_KEYS } from '#crds/zipper-contract.ts';
import type { Logger } from '#runtime/log/log.ts';
import { RetryLimit } from '#runtime/time/retry-limit.ts';
import { TaskError } from '../status/task-error.ts';
import type { RenewableCredentials, StoreIdentity } from './session.ts';
import { isKeyRejected } from './store-errors.ts';

export interface MountedKeysOptions {
  readonly log: Logger;
  /** How long requests are repeated while the store accepts none. With 0, each is repeated once, with the keys that are there then. */
  readonly limitMs: number;
  /** Ends the repetitions: a pod that stops must still report. */
  readonly stopping: AbortSignal;
  /** Longest wait before the second repetition; doubles for each further one. Default: one second. */
  readonly baseDelayMs?: number;
}

/** A store may accept a new key only after some seconds, so requests are repeated although the files are unchanged. */
const BASE_DELAY_MS = 1_000;
const MAX_DELAY_MS = 10_000;

/** @throws TaskError when a required key is missing. */
async function readKeys(dir: string): Promise<StoreIdentity> {
  async function read(name: string): Promise<string> {
    try {
      return (await readFile(join(dir, name), 'utf8')).trim();
    } catch (error) {
      throw new TaskError(
        `Could not read the Secret of the bucket: the key ${name} is missing. Store the credentials again`,
        { cause: error },
      );
    }
  }
  const [accessKeyId, secretAccessKey, sessionToken] = await Promise.all([
    read(BUCKET_SECRET_KEYS.accessKeyId),
    read(BUCKET_SECRET_KEYS.secretAccessKey),
    read(BUCKET_SECRET_KEYS.sessionToken).catch(() => ''),
  ]);
  return { accessKeyId, secretAccessKey, ...(sessionToken !== '' && { sessionToken }) };
}

/** Reads the keys now, and again whenever the store rejects them or does not respond. @throws TaskError when a required key is missing. */
export async function readMountedKeys(
  dir: string,
  { log, limitMs, stopping, baseDelayMs = BASE_DELAY_MS }: MountedKeysOptions,
): Promise<RenewableCredentials> {
  let keys = await readKeys(dir);
  async function readAgain(): Promise<void> {
    try {
      const next = await readKeys(dir);
      if (isDeepStrictEqual(next, keys)) return;
      keys = next;
      log.info('read new keys from the Secret of the bucket');
    } catch (error) {
      log.warn({ err: error }, 'could not read the keys of the bucket again');
    }
  }
  return {
    current: () => Promise.resolve(keys),
    renew: async (rejected) => {
      if (keys === rejected) await readAgain();
    },
    reread: readAgain,
    repeats: {
      limit: new RetryLimit(limitMs),
      baseDelayMs,
      maxDelayMs: MAX_DELAY_MS,
      isRetryable: (error) => isKeyRejected(error) && !stopping.aborted,
      onRetry: (error, attempt, delayMs) =>
        log.info(
          { err: error, attempt, delayMs },
          'the store rejects the keys of the bucket; reading them again',
        ),
    },
  };
}
