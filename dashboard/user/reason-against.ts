import type { PageRequest } from '../http/page.ts';
import type { Question } from './access.ts';
import type { User } from './user.ts';

/**
 * Why the user is denied one of these permissions; empty when all are granted. Only for links and buttons: the route behind
 * them checks again.
 */
export async function reasonAgainst(
  { user, namespace }: { readonly user: Pick<User, 'seemsToBeAllowed'>; readonly namespace: string },
  questions: readonly Question[],
): Promise<string> {
  const verdicts = await Promise.all(questions.map((question) => user.seemsToBeAllowed(namespace, question)));
  return verdicts.find(({ allowed }) => !allowed)?.reason ?? '';
}

/** The same from a new review: for a route whose permissions depend on its form, and for what a page shows from a cache. */
export async function refusalOf(
  { user, namespace }: Pick<PageRequest, 'user' | 'namespace'>,
  questions: readonly Question[],
): Promise<string> {
  const verdicts = await Promise.all(questions.map((question) => user.may(namespace, question)));
  return verdicts.find(({ allowed }) => !allowed)?.reason ?? '';
}
