import type { Clock } from '#runtime/clock.ts';
import type { KubeClient } from '#runtime/kube/client.ts';
import { asPerson } from '#runtime/kube/person-client.ts';
import type { Session } from '../sessions/sessions.ts';
import { askAccess, type Question, type Verdict } from './access.ts';

/** Who makes a request, and what is asked in that name. */
export interface Person {
  /** Name at the API server. */
  readonly name: string;
  /** Every call is made with the person's own token. */
  readonly kube: KubeClient;
  /** Asks the API server now: for what is about to be shown or done. */
  may(namespace: string, question: Question): Promise<Verdict>;
  /** The same, from an answer of the last seconds if there is one: for menus and buttons only. */
  seemsToBeAllowed(namespace: string, question: Question): Promise<Verdict>;
}

/** A menu may be wrong for so long; what it leads to never is. */
const MENU_AGE_MS = 3_000;
const MAX_ANSWERS = 20_000;

interface Answer {
  readonly verdict: Promise<Verdict>;
  readonly untilMs: number;
}

/** Makes the person of a session. Answers for menus are kept for all requests together. */
export const createPersons = (deps: {
  /** A client without any identity of its own. */
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
