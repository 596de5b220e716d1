import type { Clock } from '#runtime/clock.ts';
import type { SessionStore } from './session-store.ts';

/** More people than this are not signed in to one replica; the one who was away longest signs in again. */
const MAX_SESSIONS = 10_000;

interface Kept {
  readonly record: string;
  readonly person: string;
  readonly untilMs: number;
}

/** Keeps sessions in this process: for one replica, until it ends. */
export const createLocalSessionStore = (deps: {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly idleMs: number;
}): SessionStore => {
  const { clock, idleMs } = deps;
  // Each touch moves a session to the end, so the first one is always the next to lapse.
  const kept = new Map<string, Kept>();
  const forgetLapsed = (): void => {
    for (const [id, { untilMs }] of kept) {
      if (untilMs > clock.monotonicMs() && kept.size <= MAX_SESSIONS) return;
      kept.delete(id);
    }
  };
  const keep = (id: string, session: Pick<Kept, 'record' | 'person'>): void => {
    kept.delete(id);
    kept.set(id, { ...session, untilMs: clock.monotonicMs() + idleMs });
    forgetLapsed();
  };
  return {
    put: async (id, record, { person }) => keep(id, { record, person }),
    touch: async (id) => {
      forgetLapsed();
      const session = kept.get(id);
      if (session !== undefined) keep(id, session);
      return session?.record;
    },
    peek: async (id) => {
      forgetLapsed();
      return kept.get(id)?.record;
    },
    drop: async (id) => {
      kept.delete(id);
    },
    dropAll: async (person) => {
      for (const [id, session] of kept) if (session.person === person) kept.delete(id);
    },
  };
};
