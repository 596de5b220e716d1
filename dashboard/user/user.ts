import { type Administration, createAdministration } from '#administration/administration.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { asUser, withinRequest } from '#runtime/kube/client/user-client.ts';
import type { Clock } from '#runtime/time/clock.ts';
import type { Session } from '../http/sessions/sessions.ts';
import { askAccess, type Question, type Verdict } from './access.ts';
import { createJoinNext } from './join-next.ts';

/** The user who makes a request. */
export interface User {
  /** User name at the API server. */
  readonly name: string;
  /** Sends every call with the token of the user, until the time limit of the request. */
  readonly kube: KubeClient;
  /** Without that limit: for reads that other requests share, which have a limit of their own. */
  readonly sharedKube: KubeClient;
  /** Operations with the token of the user. */
  readonly administration: Administration;
  /** Returns a review that the API server made after this call. Use it before showing data or making a change. */
  may(namespace: string, question: Question): Promise<Verdict>;
  /** The same, but may use a result of at most this age; default: 3 s. Only for menus and buttons. */
  seemsToBeAllowed(namespace: string, question: Question, maxAgeMs?: number): Promise<Verdict>;
}

/** How long a menu may be out of date; the routes behind it always check again. */
const MENU_AGE_MS = 3_000;
/** No caller may use an older one. */
export const MOST_AGE_MS = 30_000;
const MAX_RESPONSES = 20_000;

interface Response {
  readonly verdict: Promise<Verdict>;
  readonly atMs: number;
}

/** The latest result for each question of a session. */
function createVerdicts(clock: Pick<Clock, 'monotonicMs'>) {
  const responses = new Map<string, Response>();
  function forgetOld(): void {
    const now = clock.monotonicMs();
    for (const [key, { atMs }] of responses) {
      if (atMs + MOST_AGE_MS > now && responses.size < MAX_RESPONSES) return;
      responses.delete(key);
    }
  }
  return {
    keep: (key: string, verdict: Promise<Verdict>): void => {
      forgetOld();
      const response = { verdict, atMs: clock.monotonicMs() };
      responses.delete(key);
      responses.set(key, response);
      verdict.catch(() => {
        if (responses.get(key) === response) responses.delete(key);
      });
    },
    /** Undefined if there is none of at most this age. */
    of: (key: string, maxAgeMs: number): Promise<Verdict> | undefined => {
      const known = responses.get(key);
      return known !== undefined && known.atMs + maxAgeMs > clock.monotonicMs() ? known.verdict : undefined;
    },
  };
}

/** Creates the user of a session for one request, whose calls `limit` ends. All requests share the cached results for menus. */
export function createUsers(deps: {
  /** A client without its own identity. */
  readonly kube: KubeClient;
  readonly clock: Clock;
}): (session: Session, limit: AbortSignal) => User {
  const { kube, clock } = deps;
  const verdicts = createVerdicts(clock);
  /** Pages that sessions poll ask the same questions all the time. */
  const joinNext = createJoinNext<Verdict>();
  return (session, limit) => {
    const client = asUser(kube, session.token, limit);
    // For reviews too: other requests share them.
    const sharedKube = asUser(kube, session.token);
    function inTime(verdict: Promise<Verdict>): Promise<Verdict> {
      return withinRequest(limit, 'access review', () => verdict);
    }
    function keyOf(namespace: string, question: Question): string {
      return JSON.stringify([session.id, namespace, question]);
    }
    return {
      name: session.user,
      kube: client,
      sharedKube,
      administration: createAdministration({ kube: client, clock }),
      may: (namespace, question) => {
        const verdict = joinNext(JSON.stringify([session.token, namespace, question]), () =>
          askAccess(sharedKube, namespace, question),
        );
        // The menu around the page then needs no review of its own.
        verdicts.keep(keyOf(namespace, question), verdict);
        return inTime(verdict);
      },
      seemsToBeAllowed: (namespace, question, maxAgeMs = MENU_AGE_MS) => {
        const key = keyOf(namespace, question);
        const known = verdicts.of(key, maxAgeMs);
        if (known !== undefined) return inTime(known);
        const verdict = askAccess(sharedKube, namespace, question);
        verdicts.keep(key, verdict);
        return inTime(verdict);
      },
    };
  };
}
