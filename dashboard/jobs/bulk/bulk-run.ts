import type {
  AdministrationError,
  AdministrationErrorCode,
} from '#administration/errors/administration-error.ts';
import type { PageRequest } from '../../http/page.ts';
import { FORMAT } from '../../ui/format.ts';
import type { BulkAction } from './bulk-actions.ts';
import { outcomeOfEach } from './bulk-plan.ts';

export interface BulkOutcome {
  readonly name: string;
  readonly href: string;
  readonly kind: 'done' | 'refused' | 'failed';
  readonly look: string;
  /** What was done, or why not. */
  readonly text: string;
  /** Name of the cancelled or new job. Absent for a form that was sent before. */
  readonly changed?: string;
}

/** The state of the job or a policy prevents the change, and a retry does not help. */
const REFUSALS: readonly AdministrationErrorCode[] = ['Refused', 'NotFound', 'Forbidden', 'InvalidInput'];

const OUT_OF_TIME = 'Not started: the time limit of this page was reached. Select the job again.';

function jobPath(namespace: string, name: string): string {
  return FORMAT.path('projects', namespace, 'jobs', name);
}

function failure({ code, message }: AdministrationError): Pick<BulkOutcome, 'kind' | 'look' | 'text'> {
  if (code === 'AlreadyExists')
    return { kind: 'done', look: 'good', text: 'This form was sent before and has created the new job.' };
  return REFUSALS.includes(code)
    ? { kind: 'refused', look: 'warn', text: message }
    : { kind: 'failed', look: 'bad', text: message };
}

/**
 * Runs the action for each job with the token of the user. The outcome of one job does not stop the others. When the request
 * times out, the jobs that are left fail.
 * @throws AdministrationError Unauthorized if the API server rejected the token for every job
 */
export function runBulk(
  { user, namespace, signal }: PageRequest,
  action: BulkAction,
  { names, form }: { readonly names: readonly string[]; readonly form: string },
): Promise<readonly BulkOutcome[]> {
  function of(name: string) {
    return { name, href: jobPath(namespace, name) };
  }
  async function change(name: string): Promise<BulkOutcome> {
    if (signal.aborted) return { ...of(name), kind: 'failed', look: 'bad', text: OUT_OF_TIME };
    const job = await action.run({ administration: user.administration, namespace, form }, name);
    return { ...of(name), kind: 'done', look: 'good', text: action.texts.done, changed: job.name };
  }
  return outcomeOfEach(names, change, (name, error) => ({ ...of(name), ...failure(error) }));
}
