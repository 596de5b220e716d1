import { AdministrationError } from '#administration/administration-error.ts';
import type { Session } from './session.ts';
import { UsageError } from './usage-error.ts';

/**
 * Asks before something that cannot be undone; `--yes` is the answer where nobody can be asked.
 * @throws UsageError when nobody can; AdministrationError when the answer is no.
 */
export const confirmed = async (
  { terminal, signal }: Pick<Session, 'terminal' | 'signal'>,
  question: string,
  { yes }: { readonly yes: boolean | undefined },
): Promise<void> => {
  if (yes === true) return;
  if (!terminal.isInteractive)
    throw new UsageError(`${question} Nobody is here to be asked: say --yes if that is what you want`);
  if (!(await terminal.confirm(question, signal)))
    throw new AdministrationError('Nothing was done, as the answer was no', { code: 'Refused' });
};
