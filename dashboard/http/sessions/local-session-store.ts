import type { Clock } from '#runtime/time/clock.ts';
import type { SessionStore } from './session-store.ts';

/** Most sessions of one replica; beyond it the one that was idle longest ends. */
const MAX_SESSIONS = 10_000;

interface Kept {
  readonly record: string;
  readonly user: string;
  readonly untilMs: number;
}

/** Keeps sessions in memory, for a single replica. */
export function createLocalSessionStore(deps: {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly idleMs: number;
  readonly maxPerUser: number;
}): SessionStore {
  const { clock, idleMs, maxPerUser } = deps;
  // Each touch moves a session to the end, so the first one always expires next.
  const kept = new Map<string, Kept>();
  function forgetExpired(): void {
    for (const [id, { untilMs }] of kept) {
      if (untilMs > clock.monotonicMs() && kept.size <= MAX_SESSIONS) return;
      kept.delete(id);
    }
  }
  function keep(id: string, session: Pick<Kept, 'record' | 'user'>): void {
    kept.delete(id);
    kept.set(id, { ...session, untilMs: clock.monotonicMs() + idleMs });
    forgetExpired();
  }
  function dropOldest(user: string): void {
    const own = [...kept].filter(([, session]) => session.user === user);
    for (const [id] of own.slice(0, Math.max(0, own.length - maxPerUser))) kept.delete(id);
  }
  return {
    put: async (id, record, { user }) => {
      keep(id, { record, user });
      dropOldest(user);
    },
    touch: async (id) => {
      forgetExpired();
      const session = kept.get(id);
      if (session !== undefined) keep(id, session);
      return session?.record;
    },
    peek: async (id) => {
      forgetExpired();
      return kept.get(id)?.record;
    },
    drop: async (id) => {
      kept.delete(id);
    },
    dropAll: async (user) => {
      for (const [id, session] of kept) if (session.user === user) kept.delete(id);
    },
  };
}
