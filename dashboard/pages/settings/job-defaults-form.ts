import { invalidInput } from '#administration/administration-error.ts';
import type { ProjectSettings } from '#administration/project-settings.ts';
import { findObjectFault } from '#runtime/object-options.ts';
import { defined } from '#runtime/optional.ts';
import { FORMAT } from '../../format.ts';
import { JOB_DEFAULT_FIELDS, type JobDefaultName } from './job-default-fields.ts';
import { readText, readWhole } from './setting-field.ts';
import type { SettingsForm } from './settings-form.ts';

type JobDefaults = ProjectSettings['jobDefaults'];
type Texts = Readonly<Record<string, string>>;

const linesOf = (entries: Texts | undefined): string =>
  Object.entries(entries ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');

/** The values of the form by field; `''` for an unset one. */
const valuesOf = ({
  jobDefaults,
}: Pick<ProjectSettings, 'jobDefaults'>): Readonly<Record<JobDefaultName, string>> => {
  const { objectOptions = {}, ttlSecondsAfterFinished: ttl = {}, ...plain } = jobDefaults;
  const text = (value: string | number | boolean | undefined): string => String(value ?? '');
  return {
    compression: text(plain.compression),
    onSourceError: text(plain.onSourceError),
    portableNames: text(plain.portableNames),
    onConflict: text(plain.onConflict),
    sha256: text(plain.sha256),
    sequential: text(plain.sequential),
    fixedModificationTime: text(plain.fixedModificationTime),
    manifestFormat: text(plain.manifestFormat),
    manifestEntry: text(plain.manifestEntry),
    activeDeadlineSeconds: text(plain.activeDeadlineSeconds),
    startDeadlineSeconds: text(plain.startDeadlineSeconds),
    maxAttempts: text(plain.maxAttempts),
    succeeded: text(ttl.succeeded),
    failed: text(ttl.failed),
    queueName: text(plain.queueName),
    contentDisposition: text(objectOptions.contentDisposition),
    contentType: text(objectOptions.contentType),
    cacheControl: text(objectOptions.cacheControl),
    storageClass: text(objectOptions.storageClass),
    metadata: linesOf(objectOptions.metadata),
    tags: linesOf(objectOptions.tags),
  };
};

const whole = (form: URLSearchParams, name: JobDefaultName): number | undefined =>
  readWhole(form, JOB_DEFAULT_FIELDS[name]);
const text = (form: URLSearchParams, name: JobDefaultName): string | undefined =>
  readText(form, JOB_DEFAULT_FIELDS[name]);
const yesOrNo = (form: URLSearchParams, name: JobDefaultName): boolean | undefined => {
  const value = text(form, name);
  return value === undefined ? undefined : value === 'true';
};

/** An unchanged text keeps its entries: a name that contains `=` cannot be read from it. */
const pairs = (
  form: URLSearchParams,
  name: 'metadata' | 'tags',
  before: Texts | undefined,
): Texts | undefined => {
  const given = (text(form, name) ?? '').replaceAll('\r\n', '\n');
  if (given === linesOf(before).trim()) return before;
  const read = new Map<string, string>();
  for (const line of given.split('\n').map((one) => one.trim())) {
    if (line === '') continue;
    const at = line.indexOf('=');
    const key = line.slice(0, at).trim();
    const { label } = JOB_DEFAULT_FIELDS[name];
    if (at < 1) throw invalidInput(name, `${label}: use one name=value per line, such as team=sales`);
    if (read.has(key)) throw invalidInput(name, `${label}: the name ${key} is repeated`);
    read.set(key, line.slice(at + 1).trim());
  }
  return read.size === 0 ? undefined : Object.fromEntries(read);
};

const orNothing = <T extends object>(value: T): T | undefined =>
  Object.keys(value).length === 0 ? undefined : value;

const readObjectOptions = (form: URLSearchParams, { objectOptions: before }: JobDefaults) => {
  const options = defined({
    contentDisposition: text(form, 'contentDisposition'),
    contentType: text(form, 'contentType'),
    cacheControl: text(form, 'cacheControl'),
    storageClass: text(form, 'storageClass'),
    metadata: pairs(form, 'metadata', before?.metadata),
    tags: pairs(form, 'tags', before?.tags),
  });
  const fault = findObjectFault(options);
  if (fault) throw invalidInput(fault.field, `${JOB_DEFAULT_FIELDS[fault.field].label} ${fault.problem}`);
  return orNothing(options);
};

const readJobDefaults = (form: URLSearchParams, before: JobDefaults): JobDefaults =>
  defined({
    compression: text(form, 'compression'),
    onSourceError: text(form, 'onSourceError'),
    portableNames: text(form, 'portableNames'),
    onConflict: text(form, 'onConflict'),
    sha256: yesOrNo(form, 'sha256'),
    sequential: yesOrNo(form, 'sequential'),
    fixedModificationTime: text(form, 'fixedModificationTime'),
    manifestFormat: text(form, 'manifestFormat'),
    manifestEntry: text(form, 'manifestEntry'),
    activeDeadlineSeconds: whole(form, 'activeDeadlineSeconds'),
    startDeadlineSeconds: whole(form, 'startDeadlineSeconds'),
    maxAttempts: whole(form, 'maxAttempts'),
    ttlSecondsAfterFinished: orNothing(
      defined({ succeeded: whole(form, 'succeeded'), failed: whole(form, 'failed') }),
    ),
    queueName: text(form, 'queueName'),
    objectOptions: readObjectOptions(form, before),
  });

const SECONDS: ReadonlySet<JobDefaultName> = new Set([
  'activeDeadlineSeconds',
  'startDeadlineSeconds',
  'succeeded',
  'failed',
]);

/** The defaults that the project sets, for reading. */
export const jobDefaultFacts = (
  settings: Pick<ProjectSettings, 'jobDefaults'>,
): readonly { readonly name: string; readonly value: string }[] => {
  const values = valuesOf(settings);
  const names = Object.keys(values) as JobDefaultName[];
  return names
    .filter((name) => values[name] !== '')
    .map((name) => {
      const label = JOB_DEFAULT_FIELDS[name].label.replace(', in seconds', '');
      return SECONDS.has(name)
        ? { name: label, value: FORMAT.duration(Number(values[name]) * 1000) }
        : { name: label, value: values[name].replaceAll('\n', ', ') };
    });
};

export const JOB_DEFAULTS_FORM: SettingsForm = {
  slug: 'job-defaults',
  title: 'Job defaults',
  part: 'jobDefaults',
  lead: () =>
    'Defaults for jobs that are created through the API. A request can set the options that are open to callers. Existing jobs do not change.',
  fields: () => Object.values(JOB_DEFAULT_FIELDS),
  values: valuesOf,
  read: (form, { jobDefaults }) => ({
    part: 'jobDefaults',
    value: orNothing(readJobDefaults(form, jobDefaults)),
  }),
};
