import { AdministrationError, type AdministrationErrorCode } from '#administration/administration-error.ts';
import { FORMAT } from '../../../format.ts';
import type { PageRequest } from '../../../page.ts';
import type { BulkAction } from './bulk-actions.ts';
import { forEachJob } from './bulk-plan.ts';

export interface BulkOutcome {
  readonly name: string;
  readonly href: string;
  readonly kind: 'done' | 'refused' | 'failed';
  readonly look: string;
  /** What was done, or why not. */
  readonly text: string;
  /** The new job of a rerun. */
  readonly created?: { readonly name: string; readonly href: string };
}

/** The state of the job or a policy prevents the change, and a retry does not help. */
const REFUSALS: readonly AdministrationErrorCode[] = ['Refused', 'NotFound', 'Forbidden', 'InvalidInput'];

const OUT_OF_TIME = 'Not started: the time limit of this page was reached. Select the job again.';

const jobPath = (namespace: string, name: string): string => FORMAT.path('projects', namespace, 'jobs', name);

const failure = (error: unknown): Pick<BulkOutcome, 'kind' | 'look' | 'text'> => {
  if (!(error instanceof AdministrationError)) throw error;
  const { code, message } = error;
  if (code === 'AlreadyExists')
    return { kind: 'done', look: 'good', text: 'This form was sent before and has created the new job.' };
  return REFUSALS.includes(code)
    ? { kind: 'refused', look: 'warn', text: message }
    : { kind: 'failed', look: 'bad', text: message };
};

/**
 * Runs the action for each job with the token of the user. The outcome of one job does not stop the others. When the request
 * times out, the jobs that are left fail.
 * @throws AdministrationError Unauthorized if the API server rejected the token for every job
 */
export const runBulk = async (
  request: PageRequest,
  action: BulkAction,
  { names, form }: { readonly names: readonly string[]; readonly form: string },
): Promise<readonly BulkOutcome[]> => {
  const { user, namespace, signal } = request;
  const rejected: unknown[] = [];
  const outcomes = await forEachJob(names, async (name): Promise<BulkOutcome> => {
    const of = { name, href: jobPath(namespace, name) };
    if (signal.aborted) return { ...of, kind: 'failed', look: 'bad', text: OUT_OF_TIME };
    try {
      const job = await action.run({ administration: user.administration, namespace, form }, name);
      const created =
        job.name === name ? {} : { created: { name: job.name, href: jobPath(namespace, job.name) } };
      return { ...of, kind: 'done', look: 'good', text: action.texts.done, ...created };
    } catch (error) {
      if (error instanceof AdministrationError && error.code === 'Unauthorized') rejected.push(error);
      return { ...of, ...failure(error) };
    }
  });
  if (rejected.length > 0 && rejected.length === names.length) throw rejected[0];
  return outcomes;
};
