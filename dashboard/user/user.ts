import { type Administration, createAdministration } from '#administration/administration.ts';
import type { Clock } from '#runtime/clock.ts';
import type { KubeClient } from '#runtime/kube/client.ts';
import { asUser } from '#runtime/kube/user-client.ts';
import type { Session } from '../sessions/sessions.ts';
import { createJoinNext } from '../sharing/join-next.ts';
import { askAccess, type Question, type Verdict } from './access.ts';

/** The user who makes a request. */
export interface User {
  /** User name at the API server. */
  readonly name: string;
  /** Sends every call with the token of the user. */
  readonly kube: KubeClient;
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

/** Creates the user of a session. All requests share the cached results for menus. */
export const createUsers = (deps: {
  /** A client without its own identity. */
  readonly kube: KubeClient;
  readonly clock: Clock;
}): ((session: Session) => User) => {
  const { kube, clock } = deps;
  const responses = new Map<string, Response>();
  /** Pages that sessions poll ask the same questions all the time. */
  const joinNext = createJoinNext<Verdict>();
  const forgetOld = (): void => {
    const now = clock.monotonicMs();
    for (const [key, { atMs }] of responses) {
      if (atMs + MOST_AGE_MS > now && responses.size < MAX_RESPONSES) return;
      responses.delete(key);
    }
  };
  const keep = (key: string, verdict: Promise<Verdict>): void => {
    forgetOld();
    const response = { verdict, atMs: clock.monotonicMs() };
    responses.delete(key);
    responses.set(key, response);
    verdict.catch(() => {
      if (responses.get(key) === response) responses.delete(key);
    });
  };
  return (session) => {
    const client = asUser(kube, session.token);
    const keyOf = (namespace: string, question: Question): string =>
      JSON.stringify([session.id, namespace, question]);
    return {
      name: session.user,
      kube: client,
      administration: createAdministration({ kube: client, clock }),
      may: (namespace, question) => {
        const verdict = joinNext(JSON.stringify([session.token, namespace, question]), () =>
          askAccess(client, namespace, question),
        );
        // The menu around the page then needs no review of its own.
        keep(keyOf(namespace, question), verdict);
        return verdict;
      },
      seemsToBeAllowed: async (namespace, question, maxAgeMs = MENU_AGE_MS) => {
        const key = keyOf(namespace, question);
        const known = responses.get(key);
        if (known !== undefined && known.atMs + maxAgeMs > clock.monotonicMs()) return known.verdict;
        const verdict = askAccess(client, namespace, question);
        keep(key, verdict);
        return verdict;
      },
    };
  };
};
