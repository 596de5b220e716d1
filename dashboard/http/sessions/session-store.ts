import { AppError } from '#runtime/errors.ts';

/** Stores encrypted sessions. It sees neither tokens nor user names. */
export interface SessionStore {
  /** Keeps a record of a user for `idleMs`, and drops the user's oldest one above the limit. */
  put(id: string, record: string, of: { readonly user: string; readonly endsAtMs: number }): Promise<void>;
  /** Reads the record and restarts its idle timeout; undefined when there is none. */
  touch(id: string): Promise<string | undefined>;
  /** Reads the record without restarting its idle timeout; undefined when there is none. */
  peek(id: string): Promise<string | undefined>;
  drop(id: string): Promise<void>;
  /** Drops every record of a user. */
  dropAll(user: string): Promise<void>;
}

/** The store is not responding: users must wait or sign in again. */
export class SessionStoreAwayError extends AppError {
  constructor(cause: unknown) {
    super('The dashboard session store (Redis) is not responding', {
      code: 'SessionStoreAway',
      retryable: true,
      cause,
    });
  }
}
