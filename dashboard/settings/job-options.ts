import type { CallerOption } from '#crds/caller-options.ts';
import { SPEC_DEFAULTS } from '#crds/zip-job.ts';
import { exactDuration } from './durations.ts';
import type { OptionSchema } from './job-defaults-schema.ts';
import { OPTION_GROUPS, OPTION_WORDS, type OptionGroup, type OptionWords } from './option-words.ts';
import type { Choice, SettingField } from './setting-field.ts';

export type OptionKind = 'choice' | 'text' | 'time' | 'whole' | 'seconds' | 'bytes' | 'pairs';
type Scalar = string | number | boolean;

/** One option of jobs, for every form that has it. */
export interface JobOption {
  /** Below `jobDefaults`. In a ZipJob, it is the path below the spec. */
  readonly path: string;
  /** Of its field in a form. */
  readonly name: string;
  readonly label: string;
  readonly group: OptionGroup;
  readonly hint: string;
  readonly kind: OptionKind;
  /** Of a choice, without the one for "not set". */
  readonly choices: readonly Choice[];
  /** In characters. */
  readonly maxlength: number;
  /** `From 1 min to 1 day`; empty without limits. */
  readonly range: string;
  readonly minimum: number;
  readonly maximum: number;
  /** What applies if neither the job nor its project sets it; undefined if no single value says it. */
  readonly fallback: Scalar | undefined;
  /** The end of "Default: ", if there is no fallback. */
  readonly unset: string;
}

/** A number with a unit, or a list of pairs. */
const MAX_LENGTH = {
  whole: 10,
  seconds: 40,
  bytes: 20,
  pairs: 8_192,
  text: 1_024,
  time: 40,
  choice: 0,
} as const;

function kindOf(path: string, schema: OptionSchema): OptionKind | undefined {
  switch (schema.type) {
    case 'boolean':
      return 'choice';
    case 'string':
      if (schema.enum) return 'choice';
      return schema.format === 'date-time' ? 'time' : 'text';
    case 'integer':
      if (/Seconds/.test(path)) return 'seconds';
      return path.endsWith('Bytes') ? 'bytes' : 'whole';
    case 'object':
      return schema.additionalProperties === undefined ? undefined : 'pairs';
    default:
      return undefined;
  }
}

/** `Retry budget seconds` of `retryBudgetSeconds`. */
function labelOf(path: string): string {
  const words = (path.split('.').at(-1) ?? path).replaceAll(
    /([a-z0-9])([A-Z])/g,
    (_, end: string, start: string) => `${end} ${start.toLowerCase()}`,
  );
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function groupOf(path: string, kind: OptionKind): OptionGroup {
  if (path.startsWith('objectOptions.')) return 'Object';
  return kind === 'seconds' ? 'Time limits' : 'Content';
}

/** Of an option that this version has no words for. */
function wordsOf(path: string, kind: OptionKind, { description = '' }: OptionSchema): OptionWords {
  return OPTION_WORDS[path] ?? { label: labelOf(path), group: groupOf(path, kind), hint: description };
}

const YES_OR_NO: Readonly<Record<string, string>> = { true: 'Yes', false: 'No' };

function choicesOf(
  { type, enum: values }: OptionSchema,
  texts: Readonly<Record<string, string>>,
): readonly Choice[] {
  const given = type === 'boolean' ? ['true', 'false'] : (values ?? []);
  return given.map((value) => ({
    value,
    text: texts[value] ?? (type === 'boolean' ? YES_OR_NO[value] : undefined) ?? value,
  }));
}

function fallbackOf(path: string, { unset }: OptionWords): Scalar | undefined {
  const known: Readonly<Record<string, unknown>> = SPEC_DEFAULTS;
  const value = known[path];
  return unset === undefined && ['string', 'number', 'boolean'].includes(typeof value)
    ? (value as Scalar)
    : undefined;
}

function numberText(value: number, kind: OptionKind): string {
  return kind === 'seconds' ? exactDuration(value) : String(value);
}

function rangeOf(kind: OptionKind, { minimum, maximum }: OptionSchema): string {
  if (minimum === undefined || maximum === undefined) return '';
  return `From ${numberText(minimum, kind)} to ${numberText(maximum, kind)}`;
}

const UNIT_HINTS: Partial<Readonly<Record<OptionKind, string>>> = {
  seconds: 'Such as 30 min, 2 h or 7 days.',
  bytes: 'Such as 256 MiB.',
};

function hintOf(kind: OptionKind, range: string, { hint = '' }: OptionWords): string {
  const unit = range === '' && !/\d \w/.test(hint) ? (UNIT_HINTS[kind] ?? '') : '';
  return [hint, range && `${range}.`, unit].filter((part) => part !== '').join(' ');
}

function toOption(path: string, schema: OptionSchema): JobOption {
  const kind = kindOf(path, schema);
  if (kind === undefined)
    throw new Error(`No form has a field for jobDefaults.${path} of type ${schema.type}`);
  const words = wordsOf(path, kind, schema);
  const range = rangeOf(kind, schema);
  return {
    path,
    name: path.split('.').at(-1) ?? path,
    label: words.label,
    group: words.group,
    hint: hintOf(kind, range, words),
    kind,
    choices: kind === 'choice' ? choicesOf(schema, words.texts ?? {}) : [],
    maxlength: (kind === 'text' ? schema.maxLength : undefined) ?? MAX_LENGTH[kind],
    range,
    minimum: schema.minimum ?? 0,
    maximum: schema.maximum ?? Infinity,
    fallback: fallbackOf(path, words),
    unset: words.unset ?? '',
  };
}

function leaves(
  schema: OptionSchema,
  above = '',
): readonly (readonly [path: string, schema: OptionSchema])[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, below]) =>
    below.properties === undefined ? [[above + name, below] as const] : leaves(below, `${above}${name}.`),
  );
}

/** Field names are the last part of the path. An option without words has its whole path if another has that name. */
function withUniqueNames(options: readonly JobOption[]): readonly JobOption[] {
  const taken = new Set(options.filter(({ path }) => path in OPTION_WORDS).map(({ name }) => name));
  return options.map((option) => {
    if (option.path in OPTION_WORDS) return option;
    const name = taken.has(option.name) ? option.path : option.name;
    taken.add(name);
    return { ...option, name };
  });
}

/**
 * The options of a schema by group, those with words in the order of the words. An option that is added to the schema is in every form
 * without further changes.
 * @throws Error for an option of a type that no field can show
 */
export function jobOptions(schema: OptionSchema): readonly JobOption[] {
  const order = Object.keys(OPTION_WORDS);
  function rankOf({ path, group }: JobOption): number {
    const index = order.indexOf(path);
    return OPTION_GROUPS.indexOf(group) * 1_000 + (index === -1 ? order.length : index);
  }
  const options = leaves(schema).map(([path, below]) => toOption(path, below));
  return withUniqueNames(options.toSorted((a, b) => rankOf(a) - rankOf(b)));
}

/** Fields of a request whose option has another name. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  manifest: 'manifestFormat',
  modification_time: 'fixedModificationTime',
  object: 'objectOptions',
};

/** The path of an option that callers of the API know by another name. */
export function pathOfCallerOption(option: CallerOption): string {
  return option
    .split('.')
    .map(
      (part) =>
        OTHER_NAMES[part] ?? part.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    )
    .join('.');
}

/** A text after a colon, unless it starts with an abbreviation. */
export function afterColon(text: string): string {
  return /^[A-Z][a-z ]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

/** The words for a value of an option. */
export function valueText({ kind, choices }: JobOption, value: unknown): string {
  if (typeof value === 'number') return numberText(value, kind);
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([name, one]) => `${name}=${String(one)}`)
      .join(', ');
  return choices.find((choice) => choice.value === String(value))?.text ?? String(value);
}

interface Default {
  /** `Default` or `Project default`. */
  readonly label: string;
  /** Undefined: not set. */
  readonly value: unknown;
}

/** What applies to a field that is left empty, such as `Project default: skip failed files`; only the label if nothing says it. */
function defaultText(option: JobOption, { label, value = option.fallback }: Default): string {
  const text = value === undefined ? option.unset : afterColon(valueText(option, value));
  return text === '' ? label : `${label}: ${text}`;
}

/** The field of an option, with what applies if it is left empty. */
export function fieldOfOption(option: JobOption, unset: Default): SettingField {
  const { path, name, label, group, hint, kind, choices, maxlength } = option;
  const common = { name, label, group, path: `jobDefaults.${path}` };
  const applies = defaultText(option, unset);
  if (kind === 'choice')
    return { kind: 'select', ...common, hint, options: [{ value: '', text: applies }, ...choices] };
  const full = applies.includes(':') && !hint.includes('Default:') ? `${hint} ${applies}.`.trim() : hint;
  return { kind: kind === 'pairs' ? 'lines' : 'text', ...common, hint: full, maxlength };
}
