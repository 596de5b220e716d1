import { AdministrationError } from '#administration/errors/administration-error.ts';
import type { Session } from './session.ts';
import { UsageError } from './usage-error.ts';

/**
 * Asks before an operation that cannot be undone; `--yes` answers where no terminal is available.
 * @throws UsageError without a terminal; AdministrationError when the user declines.
 */
export async function confirmed(
  { terminal, signal }: Pick<Session, 'terminal' | 'signal'>,
  question: string,
  { yes }: { readonly yes: boolean | undefined },
): Promise<void> {
  if (yes === true) return;
  if (!terminal.isInteractive)
    throw new UsageError(`${question} Cannot ask for confirmation without a terminal. Pass --yes to confirm`);
  if (!(await terminal.confirm(question, signal)))
    throw new AdministrationError('Cancelled: nothing was changed', { code: 'Refused' });
}
