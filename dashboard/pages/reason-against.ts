import type { PageRequest } from '../page.ts';
import type { Question } from '../person/access.ts';

/**
 * Why the user is denied one of these permissions; empty when all are granted. Only for links and buttons: the route behind
 * them checks again.
 */
export const reasonAgainst = async (
  { person, namespace }: Pick<PageRequest, 'person' | 'namespace'>,
  questions: readonly Question[],
): Promise<string> => {
  const verdicts = await Promise.all(
    questions.map((question) => person.seemsToBeAllowed(namespace, question)),
  );
  return verdicts.find(({ allowed }) => !allowed)?.reason ?? '';
};
