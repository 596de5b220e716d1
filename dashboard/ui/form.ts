import { randomUUID } from 'node:crypto';
import { versionOf } from '#administration/changes/change-spec.ts';
import {
  AdministrationError,
  type AdministrationErrorCode,
} from '#administration/errors/administration-error.ts';
import { isUuid } from '#crds/zip-job-facts.ts';
import { toError } from '#runtime/errors.ts';

/** State of a form: its values and the error of each field. */
export interface FormState {
  readonly values: Readonly<Record<string, string>>;
  /** By field; `''` for errors of the whole form. */
  readonly errors: Readonly<Record<string, string>>;
}

export const EMPTY_FORM: FormState = { values: {}, errors: {} };

/** HTTP status of a page with a form: 422 when the form has errors. */
export function formStatus(errors: FormState['errors']): 200 | 422 {
  return Object.keys(errors).length === 0 ? 200 : 422;
}

/** UUID of a posted form, the same when a browser sends it again; a new one without it. */
export function formIdIn(form: URLSearchParams): string {
  const given = form.get('form') ?? '';
  return isUuid(given) ? given : randomUUID();
}

/** Browsers send line breaks as CRLF. */
function plain(text: string): string {
  return text.replaceAll('\r\n', '\n').trim();
}

/** The text of a field; several boxes are separated by commas. */
export function postedText(form: URLSearchParams, name: string): string {
  return plain(form.getAll(name).join(','));
}

/** True if a field has the text that the form showed. Its value then stays as it is: not every text can be read back. */
export function isUnchanged(form: URLSearchParams, name: string, shown = ''): boolean {
  return postedText(form, name) === plain(shown);
}

/** For a hidden field: tells later which texts the user has changed. */
export function shownTexts(names: readonly string[], values: FormState['values']): string {
  return new URLSearchParams(
    Object.fromEntries(names.map((name) => [name, versionOf(plain(values[name] ?? ''))])),
  ).toString();
}

/** What the user has seen of the stored values. A page with other errors repeats it, so that a change by someone else is noticed later. */
export function seenIn(form: URLSearchParams): { readonly version: string; readonly shown: string } {
  return {
    version: form.get('version') ?? '',
    shown: form.get('shown') ?? '',
  };
}

/** After a change by someone else: what the user has typed, and the current text of the other fields. */
export function valuesAfterConflict(
  form: URLSearchParams,
  posted: FormState['values'],
  current: FormState['values'],
): FormState['values'] {
  const shown = new URLSearchParams(form.get('shown') ?? '');
  function isTyped(name: string, value: string): boolean {
    return shown.get(name) !== versionOf(plain(value));
  }
  return Object.fromEntries(
    Object.entries(posted).map(([name, value]) => [
      name,
      isTyped(name, value) ? value : (current[name] ?? ''),
    ]),
  );
}

/** Posted fields, trimmed. Never use it for a secret: the form sends these values back to the browser. */
export function filledIn(
  form: URLSearchParams,
  ...names: readonly string[]
): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, (form.get(name) ?? '').trim()]));
}

/** Errors that appear in the form because the user can fix them there; all others become a page that can send the form again. */
const SHOWN_IN_FORM: ReadonlySet<string> = new Set<AdministrationErrorCode>([
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
 * Errors of a failed operation, for its form: next to the field that the error names, otherwise next to `field` (`''`: above
 * all fields).
 * @throws the error itself when it does not belong into the form
 */
export function formErrors(error: unknown, field = ''): FormState['errors'] {
  if (error instanceof AdministrationError && SHOWN_IN_FORM.has(error.code))
    return { [error.field ?? field]: error.message };
  throw toError(error);
}

interface ChangedField {
  readonly name: string;
  readonly label: string;
  /** Of a list. */
  readonly options?: readonly Choice[];
  /** Of boxes. */
  readonly choices?: readonly Choice[];
}

interface Choice {
  readonly value: string;
  readonly text: string;
}

/** A longer value would hide the others. In characters. */
const MOST_SHOWN = 500;

function nowText({ label, options, choices = options }: ChangedField, value: string): string {
  if (value.length > MOST_SHOWN) return `${label} was changed. Its value is too long to show it here`;
  const shown = choices
    ? value
        .split(',')
        .map((one) => choices.find((choice) => choice.value === one)?.text ?? one)
        .join(', ')
    : value;
  return `${label} is now: ${shown || 'not set'}`;
}

/** What a form shows after a change by someone else: the current value of each field that differs. */
export function conflictErrors(
  { message }: AdministrationError,
  changed: readonly ChangedField[],
  current: FormState['values'],
): FormState['errors'] {
  return {
    '': message,
    ...Object.fromEntries(changed.map((field) => [field.name, nowText(field, current[field.name] ?? '')])),
  };
}
