import { invalidInput } from '#administration/errors/administration-error.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { MODIFICATION_TIME_PROBLEM, modificationTime } from '#runtime/zip-request/modification-time.ts';
import { isUnchanged, postedText } from '../ui/form.ts';
import { durationSeconds, exactDuration } from './durations.ts';
import { afterColon, type JobOption, type OptionKind } from './job-options.ts';
import { bytesText, readBytes, readText, readWhole } from './setting-field.ts';

/** Options by name, as in `jobDefaults` or in the spec of a ZipJob. */
export type OptionValues = Readonly<Record<string, unknown>>;
type Texts = Readonly<Record<string, string>>;

/** The value at a path; undefined if it is not set. */
export function valueAt(values: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((from, name) => (isRecord(from) ? from[name] : undefined), values);
}

function linesOf(value: unknown): string {
  return Object.entries(isRecord(value) ? value : {})
    .map(([name, text]) => `${name}=${String(text)}`)
    .join('\n');
}

/** The text of a value in its field; `''` for none. */
export function fieldText({ kind }: JobOption, value: unknown): string {
  if (value === undefined) return '';
  if (kind === 'pairs') return linesOf(value);
  if (typeof value !== 'number') return typeof value === 'string' ? value : JSON.stringify(value);
  if (kind === 'seconds') return exactDuration(value);
  return kind === 'bytes' ? bytesText(value) : String(value);
}

/** The texts of all options by the names of their fields. */
export function fieldTexts(options: readonly JobOption[], values: unknown): Texts {
  return Object.fromEntries(
    options.map((option) => [option.name, fieldText(option, valueAt(values, option.path))]),
  );
}

function readPairs(form: URLSearchParams, { name, label }: JobOption): Texts | undefined {
  const read = new Map<string, string>();
  for (const line of postedText(form, name)
    .split('\n')
    .map((one) => one.trim())) {
    if (line === '') continue;
    const at = line.indexOf('=');
    const key = line.slice(0, at).trim();
    if (at < 1) throw invalidInput(name, `${label}: use one name=value per line, such as team=sales`);
    if (read.has(key)) throw invalidInput(name, `${label}: the name ${key} is repeated`);
    read.set(key, line.slice(at + 1).trim());
  }
  return read.size === 0 ? undefined : Object.fromEntries(read);
}

function readSeconds(form: URLSearchParams, option: JobOption): number | undefined {
  const text = readText(form, option);
  if (text === undefined) return undefined;
  const seconds = durationSeconds(text);
  if (Number.isNaN(seconds))
    throw invalidInput(option.name, `${option.label}: use a number and a unit, such as 30 min or 7 days`);
  return seconds;
}

function readTime(form: URLSearchParams, option: JobOption): string | undefined {
  const text = readText(form, option);
  if (text !== undefined && modificationTime(text) === undefined)
    throw invalidInput(option.name, `${option.label} ${MODIFICATION_TIME_PROBLEM}`);
  return text;
}

/** A value that only a newer version knows stays possible: the API server judges it. */
function readChoice(form: URLSearchParams, option: JobOption): string | boolean | undefined {
  const value = readText(form, option);
  const isYesOrNo = option.choices[0]?.value === 'true';
  return value !== undefined && isYesOrNo ? value === 'true' : value;
}

const READERS: Readonly<Record<OptionKind, (form: URLSearchParams, option: JobOption) => unknown>> = {
  choice: readChoice,
  text: readText,
  time: readTime,
  whole: readWhole,
  seconds: readSeconds,
  bytes: readBytes,
  pairs: readPairs,
};

/** A copy with this value, without objects that become empty. */
function withValue(
  values: OptionValues,
  [name = '', ...below]: readonly string[],
  value: unknown,
): OptionValues {
  const { [name]: before, ...others } = values;
  const inner = below.length === 0 ? value : withValue(isRecord(before) ? before : {}, below, value);
  const isEmpty =
    inner === undefined || (below.length > 0 && isRecord(inner) && Object.keys(inner).length === 0);
  return isEmpty ? others : { ...others, [name]: inner };
}

/** As the API server checks it, but in the units of the form. */
function checked(value: unknown, { name, label, minimum, maximum, range }: JobOption): unknown {
  if (typeof value === 'number' && (value < minimum || value > maximum))
    throw invalidInput(name, `${label}: ${range === '' ? 'the value is out of range' : afterColon(range)}`);
  return value;
}

/**
 * The options of a form. A field whose text is still as it was shown keeps its value, and so does everything that the form does not have.
 * @throws AdministrationError InvalidInput with the name of the field
 */
export function readOptions(
  form: URLSearchParams,
  options: readonly JobOption[],
  before: OptionValues,
): OptionValues {
  return options.reduce((values, option) => {
    const shown = fieldText(option, valueAt(before, option.path));
    if (isUnchanged(form, option.name, shown)) return values;
    return withValue(values, option.path.split('.'), checked(READERS[option.kind](form, option), option));
  }, before);
}
