import { invalidInput } from '#administration/errors/administration-error.ts';
import type { ProjectSettings } from '#administration/projects/project-settings.ts';
import { defined } from '#runtime/collections/optional.ts';
import { findObjectFault } from '#runtime/zip-request/object-options.ts';
import { isUnchanged, postedText } from '../ui/form.ts';
import { FORMAT } from '../ui/format.ts';
import { JOB_DEFAULT_FIELDS, type JobDefaultName } from './job-default-fields.ts';
import { readText, readWhole, type SettingField } from './setting-field.ts';
import type { SettingsForm } from './settings-form.ts';

type JobDefaults = ProjectSettings['jobDefaults'];
type Texts = Readonly<Record<string, string>>;

function linesOf(entries: Texts | undefined): string {
  return Object.entries(entries ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');
}

/** `''` for an unset field. */
function valuesOf({
  jobDefaults,
}: Pick<ProjectSettings, 'jobDefaults'>): Readonly<Record<JobDefaultName, string>> {
  const { objectOptions = {}, ttlSecondsAfterFinished: ttl = {}, ...plain } = jobDefaults;
  function text(value: string | number | boolean | undefined): string {
    return String(value ?? '');
  }
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
}

function readYesOrNo(form: URLSearchParams, field: SettingField): boolean | undefined {
  const value = readText(form, field);
  return value === undefined ? undefined : value === 'true';
}

function readPairs(form: URLSearchParams, { name, label }: SettingField): Texts | undefined {
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

function orNothing<T extends object>(value: T): T | undefined {
  return Object.keys(value).length === 0 ? undefined : value;
}

/** The value of a field: the current one, unless its text was changed. */
type Take = <T>(
  name: JobDefaultName,
  current: T | undefined,
  read: (form: URLSearchParams, field: SettingField) => T | undefined,
) => T | undefined;

function readObjectOptions(take: Take, { objectOptions: before }: JobDefaults) {
  const options = defined({
    ...before,
    contentDisposition: take('contentDisposition', before?.contentDisposition, readText),
    contentType: take('contentType', before?.contentType, readText),
    cacheControl: take('cacheControl', before?.cacheControl, readText),
    storageClass: take('storageClass', before?.storageClass, readText),
    metadata: take('metadata', before?.metadata, readPairs),
    tags: take('tags', before?.tags, readPairs),
  });
  const fault = findObjectFault(options);
  if (fault) throw invalidInput(fault.field, `${JOB_DEFAULT_FIELDS[fault.field].label} ${fault.problem}`);
  return orNothing(options);
}

/** Keeps what the form does not have. */
function readJobDefaults(take: Take, before: JobDefaults): JobDefaults {
  return defined({
    ...before,
    compression: take('compression', before.compression, readText),
    onSourceError: take('onSourceError', before.onSourceError, readText),
    portableNames: take('portableNames', before.portableNames, readText),
    onConflict: take('onConflict', before.onConflict, readText),
    sha256: take('sha256', before.sha256, readYesOrNo),
    sequential: take('sequential', before.sequential, readYesOrNo),
    fixedModificationTime: take('fixedModificationTime', before.fixedModificationTime, readText),
    manifestFormat: take('manifestFormat', before.manifestFormat, readText),
    manifestEntry: take('manifestEntry', before.manifestEntry, readText),
    activeDeadlineSeconds: take('activeDeadlineSeconds', before.activeDeadlineSeconds, readWhole),
    startDeadlineSeconds: take('startDeadlineSeconds', before.startDeadlineSeconds, readWhole),
    maxAttempts: take('maxAttempts', before.maxAttempts, readWhole),
    ttlSecondsAfterFinished: orNothing(
      defined({
        ...before.ttlSecondsAfterFinished,
        succeeded: take('succeeded', before.ttlSecondsAfterFinished?.succeeded, readWhole),
        failed: take('failed', before.ttlSecondsAfterFinished?.failed, readWhole),
      }),
    ),
    queueName: take('queueName', before.queueName, readText),
    objectOptions: readObjectOptions(take, before),
  });
}

const SECONDS: ReadonlySet<JobDefaultName> = new Set([
  'activeDeadlineSeconds',
  'startDeadlineSeconds',
  'succeeded',
  'failed',
]);

/** The defaults that the project sets, for reading. */
export function jobDefaultFacts(
  settings: Pick<ProjectSettings, 'jobDefaults'>,
): readonly { readonly name: string; readonly value: string }[] {
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
}

export const JOB_DEFAULTS_FORM: SettingsForm = {
  slug: 'job-defaults',
  title: 'Job defaults',
  part: 'jobDefaults',
  lead: () =>
    'Defaults for jobs that are created through the API. A request can set the options that are open to callers. Existing jobs do not change.',
  fields: () => Object.values(JOB_DEFAULT_FIELDS),
  values: valuesOf,
  read: (form, settings) => {
    const shown = valuesOf(settings);
    const take: Take = (name, current, read) =>
      isUnchanged(form, name, shown[name]) ? current : read(form, JOB_DEFAULT_FIELDS[name]);
    return { part: 'jobDefaults', value: orNothing(readJobDefaults(take, settings.jobDefaults)) };
  },
};
