import { AppError } from '#runtime/errors.ts';

/** Where sealed sessions are kept. It sees neither tokens nor the names of persons. */
export interface SessionStore {
  /** Keeps a record for `idleMs`, among those of a person. */
  put(id: string, record: string, of: { readonly person: string; readonly endsAtMs: number }): Promise<void>;
  /** The record, which is kept for the idle time from now on; undefined when there is none. */
  touch(id: string): Promise<string | undefined>;
  /** The record, which is kept no longer because of this; undefined when there is none. */
  peek(id: string): Promise<string | undefined>;
  drop(id: string): Promise<void>;
  /** Drops every record of a person. */
  dropAll(person: string): Promise<void>;
}

/** The store does not answer: whoever was signed in has to wait or sign in again. */
export class SessionStoreAwayError extends AppError {
  constructor(cause: unknown) {
    super('The store of the dashboard sessions (Redis) does not answer', {
      code: 'SessionStoreAway',
      retryable: true,
      cause,
    });
  }
}
