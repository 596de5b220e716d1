import type { PageRequest } from '../page.ts';
import type { Question } from '../person/access.ts';

/**
 * Why the person may not do what takes all these rights; empty when nothing stands against it. For links and buttons: the
 * route behind them asks anew.
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
