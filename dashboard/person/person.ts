import type { Clock } from '#runtime/clock.ts';
import type { KubeClient } from '#runtime/kube/client.ts';
import { asPerson } from '#runtime/kube/person-client.ts';
import type { Session } from '../sessions/sessions.ts';
import { askAccess, type Question, type Verdict } from './access.ts';

/** The user who makes a request. */
export interface Person {
  /** User name at the API server. */
  readonly name: string;
  /** Sends every call with the token of the user. */
  readonly kube: KubeClient;
  /** Asks the API server now. Use it before showing data or making a change. */
  may(namespace: string, question: Question): Promise<Verdict>;
  /** The same, but may use a result that is a few seconds old. Only for menus and buttons. */
  seemsToBeAllowed(namespace: string, question: Question): Promise<Verdict>;
}

/** How long a menu may be out of date; the routes behind it always check again. */
const MENU_AGE_MS = 3_000;
const MAX_ANSWERS = 20_000;

interface Answer {
  readonly verdict: Promise<Verdict>;
  readonly untilMs: number;
}

/** Creates the user of a session. All requests share the cached results for menus. */
export const createPersons = (deps: {
  /** A client without its own identity. */
  readonly kube: KubeClient;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}): ((session: Session) => Person) => {
  const { kube, clock } = deps;
  const answers = new Map<string, Answer>();
  const forgetOld = (): void => {
    const now = clock.monotonicMs();
    for (const [key, { untilMs }] of answers) {
      if (untilMs > now && answers.size < MAX_ANSWERS) return;
      answers.delete(key);
    }
  };
  const keep = (key: string, verdict: Promise<Verdict>): void => {
    answers.delete(key);
    answers.set(key, { verdict, untilMs: clock.monotonicMs() + MENU_AGE_MS });
    verdict.catch(() => answers.delete(key));
  };
  return (session) => {
    const client = asPerson(kube, session.token);
    return {
      name: session.person,
      kube: client,
      may: async (namespace, question) => askAccess(client, namespace, question),
      seemsToBeAllowed: async (namespace, question) => {
        forgetOld();
        const key = JSON.stringify([session.id, namespace, question]);
        const known = answers.get(key);
        if (known !== undefined) return known.verdict;
        const verdict = askAccess(client, namespace, question);
        keep(key, verdict);
        return verdict;
      },
    };
  };
};
