/** A form as it is shown: what was filled in, and what is wrong beside each field. */
export interface FormState {
  readonly values: Readonly<Record<string, string>>;
  /** By field; `''` for what concerns the whole form. */
  readonly errors: Readonly<Record<string, string>>;
}

export const EMPTY_FORM: FormState = { values: {}, errors: {} };

/** Fields as they were posted, trimmed. Never for a field that holds a secret: what is shown again stays on the screen. */
export const filledIn = (
  form: URLSearchParams,
  ...names: readonly string[]
): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, (form.get(name) ?? '').trim()]));
