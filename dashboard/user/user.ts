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
  /** The same, but may use a result that is a few seconds old. Only for menus and buttons. */
  seemsToBeAllowed(namespace: string, question: Question): Promise<Verdict>;
}

/** How long a menu may be out of date; the routes behind it always check again. */
const MENU_AGE_MS = 3_000;
const MAX_RESPONSES = 20_000;

interface Response {
  readonly verdict: Promise<Verdict>;
  readonly untilMs: number;
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
    for (const [key, { untilMs }] of responses) {
      if (untilMs > now && responses.size < MAX_RESPONSES) return;
      responses.delete(key);
    }
  };
  const keep = (key: string, verdict: Promise<Verdict>): void => {
    responses.delete(key);
    responses.set(key, { verdict, untilMs: clock.monotonicMs() + MENU_AGE_MS });
    verdict.catch(() => responses.delete(key));
  };
  return (session) => {
    const client = asUser(kube, session.token);
    return {
      name: session.user,
      kube: client,
      administration: createAdministration({ kube: client, clock }),
      may: (namespace, question) =>
        joinNext(JSON.stringify([session.token, namespace, question]), () =>
          askAccess(client, namespace, question),
        ),
      seemsToBeAllowed: async (namespace, question) => {
        forgetOld();
        const key = JSON.stringify([session.id, namespace, question]);
        const known = responses.get(key);
        if (known !== undefined) return known.verdict;
        const verdict = askAccess(client, namespace, question);
        keep(key, verdict);
        return verdict;
      },
    };
  };
};
