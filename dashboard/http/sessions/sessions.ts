import { createHash, randomBytes } from 'node:crypto';
import { isRecord } from '#runtime/kube/client/decode.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { KEY_BYTES, seal, unseal } from './seal.ts';
import type { SessionStore } from './session-store.ts';

/** The session of a signed-in user. */
export interface Session {
  /** Key of the session in the store, which differs from the cookie. */
  readonly id: string;
  /** User name at the API server. */
  readonly user: string;
  readonly token: string;
  /** CSRF token that every form of this session must send. */
  readonly csrf: string;
  readonly endsAtMs: number;
}

export interface Sessions {
  /** Starts a session with a new ID; returns the value of the cookie. */
  begin(user: string, token: string): Promise<string>;
  /** Undefined for an invalid or expired cookie. Live updates (`page`) do not restart the idle timeout. */
  read(cookie: string, by?: 'user' | 'page'): Promise<Session | undefined>;
  end(cookie: string): Promise<void>;
  /** Ends every session of a user, in all browsers. */
  endAll(user: string): Promise<void>;
}

const ID_BYTES = 32;
const COOKIE = /^[A-Za-z0-9_-]{86}$/;

/** The store holds only digests of IDs and names, so that a copy of it is useless. */
function digest(value: Buffer | string): string {
  return createHash('sha256').update(value).digest('hex');
}

/** ID and encryption key of the session. */
function partsOf(cookie: string): { id: string; key: Buffer } | undefined {
  if (!COOKIE.test(cookie)) return undefined;
  const bytes = Buffer.from(cookie, 'base64url');
  return { id: digest(bytes.subarray(0, ID_BYTES)), key: bytes.subarray(ID_BYTES) };
}

function sessionOf(id: string, text: string): Session | undefined {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value)) return undefined;
  const { user, token, csrf, endsAtMs } = value;
  if (typeof user !== 'string' || typeof token !== 'string') return undefined;
  if (typeof csrf !== 'string' || typeof endsAtMs !== 'number') return undefined;
  return { id, user, token, csrf, endsAtMs };
}

/**
 * Sessions that only the cookie can decrypt: the store holds them encrypted, and only the cookie contains the key.
 * Every method throws SessionStoreAwayError while the store is not responding.
 */
export function createSessions(deps: {
  readonly store: SessionStore;
  readonly clock: Pick<Clock, 'date'>;
  readonly sessionMs: number;
}): Sessions {
  const { store, clock, sessionMs } = deps;
  return {
    begin: async (user, token) => {
      const secret = randomBytes(ID_BYTES + KEY_BYTES);
      const id = digest(secret.subarray(0, ID_BYTES));
      const endsAtMs = clock.date().getTime() + sessionMs;
      const csrf = randomBytes(32).toString('base64url');
      const record = seal(secret.subarray(ID_BYTES), id, JSON.stringify({ user, token, csrf, endsAtMs }));
      await store.put(id, record, { user: digest(user), endsAtMs });
      return secret.toString('base64url');
    },
    read: async (cookie, by = 'user') => {
      const parts = partsOf(cookie);
      if (parts === undefined) return undefined;
      const record = await (by === 'user' ? store.touch(parts.id) : store.peek(parts.id));
      const text = record === undefined ? undefined : unseal(parts.key, parts.id, record);
      const session = text === undefined ? undefined : sessionOf(parts.id, text);
      return session !== undefined && session.endsAtMs > clock.date().getTime() ? session : undefined;
    },
    end: async (cookie) => {
      const parts = partsOf(cookie);
      if (parts !== undefined) await store.drop(parts.id);
    },
    endAll: (user) => store.dropAll(digest(user)),
  };
}
