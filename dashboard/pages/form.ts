import { AdministrationError, type AdministrationErrorCode } from '#administration/administration-error.ts';
import { toError } from '#runtime/errors.ts';

/** A form as it is shown: what was filled in, and what is wrong beside each field. */
export interface FormState {
  readonly values: Readonly<Record<string, string>>;
  /** By field; `''` for what concerns the whole form. */
  readonly errors: Readonly<Record<string, string>>;
}

export const EMPTY_FORM: FormState = { values: {}, errors: {} };

/** HTTP status of a page that shows a form: 422 when something about the form is wrong. */
export const formStatus = (errors: FormState['errors']): 200 | 422 =>
  Object.keys(errors).length === 0 ? 200 : 422;

/** Fields as they were posted, trimmed. Never for a field that holds a secret: what is shown again stays on the screen. */
export const filledIn = (
  form: URLSearchParams,
  ...names: readonly string[]
): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, (form.get(name) ?? '').trim()]));

/** What the person can mend, or has to know, without leaving the form; the rest goes on to an error page. */
const TOLD_IN_FORM: ReadonlySet<string> = new Set<AdministrationErrorCode>([
  'InvalidInput',
  'Forbidden',
  'Refused',
  'AlreadyExists',
  'InUse',
  'Conflict',
  'NotFound',
  'TimedOut',
  'Failed',
]);

/**
 * Why an operation was not done, for its form: beside the field that the error names, else beside `field` (`''`: above all
 * fields).
 * @throws the error itself when it is no matter of the form
 */
export const formErrors = (error: unknown, field = ''): FormState['errors'] => {
  if (error instanceof AdministrationError && TOLD_IN_FORM.has(error.code))
    return { [error.field ?? field]: error.message };
  throw toError(error);
};
