import {
  COMPRESSIONS,
  MANIFEST_FORMATS,
  ON_CONFLICTS,
  ON_SOURCE_ERRORS,
  PORTABLE_NAMES,
  SPEC_DEFAULTS,
} from '#crds/zip-job.ts';
import type { SettingField } from './setting-field.ts';

type Named = Pick<SettingField, 'name' | 'label' | 'hint' | 'path'>;

function option(value: string, text = value) {
  return { value, text };
}

interface Choices {
  readonly values: readonly string[];
  /** What applies if the project sets none. */
  readonly unset: string;
  /** What a value means, where its name does not say it. */
  readonly texts?: Readonly<Record<string, string>>;
}

function select(field: Named, { values, unset, texts = {} }: Choices): SettingField {
  return {
    kind: 'select',
    path: `jobDefaults.${field.name}`,
    ...field,
    options: [
      option('', `Not set (${unset})`),
      ...values.map((value) =>
        option(value, texts[value] === undefined ? value : `${value}: ${texts[value]}`),
      ),
    ],
  };
}

function text(field: Named, maxlength: number): SettingField {
  return {
    kind: 'text',
    path: `jobDefaults.${field.name}`,
    ...field,
    maxlength,
  };
}

function lines(field: Named): SettingField {
  return {
    kind: 'lines',
    path: `jobDefaults.objectOptions.${field.name}`,
    ...field,
    maxlength: 8_192,
  };
}

function objectText(field: Named, maxlength: number): SettingField {
  return text({ ...field, path: `jobDefaults.objectOptions.${field.name}` }, maxlength);
}

const BOOLEANS = ['true', 'false'];

/** Every default of a project for its jobs, in the order of the form. */
export const JOB_DEFAULT_FIELDS = {
  compression: select(
    { name: 'compression', label: 'Compression' },
    {
      values: COMPRESSIONS,
      unset: SPEC_DEFAULTS.compression,
      texts: { auto: 'compresses files that shrink' },
    },
  ),
  onSourceError: select(
    { name: 'onSourceError', label: 'If a file cannot be downloaded' },
    {
      values: ON_SOURCE_ERRORS,
      unset: SPEC_DEFAULTS.onSourceError,
      texts: {
        Fail: 'the job fails',
        Skip: 'the file is left out',
        Placeholder: 'a short text replaces the file',
      },
    },
  ),
  portableNames: select(
    { name: 'portableNames', label: 'File names that Windows does not support' },
    { values: PORTABLE_NAMES, unset: SPEC_DEFAULTS.portableNames },
  ),
  onConflict: select(
    { name: 'onConflict', label: 'If an object exists at the key' },
    { values: ON_CONFLICTS, unset: SPEC_DEFAULTS.onConflict },
  ),
  sha256: select({ name: 'sha256', label: 'SHA-256 of the archive' }, { values: BOOLEANS, unset: 'false' }),
  sequential: select(
    { name: 'sequential', label: 'Sequential downloads', hint: 'Requests one source at a time.' },
    { values: BOOLEANS, unset: 'the value of the installation' },
  ),
  fixedModificationTime: text(
    {
      name: 'fixedModificationTime',
      label: 'Modification time of all entries',
      hint: 'For example 2026-01-01T00:00:00Z. The same files then give the same bytes.',
    },
    40,
  ),
  manifestFormat: select(
    { name: 'manifestFormat', label: 'Manifest' },
    { values: MANIFEST_FORMATS, unset: 'none, or json if its name is set' },
  ),
  manifestEntry: text(
    { name: 'manifestEntry', label: 'Name of the JSON manifest', hint: 'For example manifest.json.' },
    1_024,
  ),
  activeDeadlineSeconds: text(
    { name: 'activeDeadlineSeconds', label: 'Time limit of a job, in seconds', hint: 'From 60 to 86400.' },
    10,
  ),
  startDeadlineSeconds: text(
    { name: 'startDeadlineSeconds', label: 'Time limit of the start, in seconds', hint: 'From 5 to 86400.' },
    10,
  ),
  maxAttempts: text({ name: 'maxAttempts', label: 'Attempts', hint: 'From 1 to 10.' }, 10),
  succeeded: text(
    {
      name: 'succeeded',
      path: 'jobDefaults.ttlSecondsAfterFinished.succeeded',
      label: 'Keep succeeded jobs in the cluster, in seconds',
      hint: '604800 is 7 days.',
    },
    10,
  ),
  failed: text(
    {
      name: 'failed',
      path: 'jobDefaults.ttlSecondsAfterFinished.failed',
      label: 'Keep failed jobs in the cluster, in seconds',
      hint: '604800 is 7 days.',
    },
    10,
  ),
  queueName: text(
    { name: 'queueName', label: 'Kueue queue', hint: 'The LocalQueue that admits the jobs.' },
    63,
  ),
  contentDisposition: objectText(
    { name: 'contentDisposition', label: 'Content-Disposition of archives' },
    1_024,
  ),
  contentType: objectText({ name: 'contentType', label: 'Content-Type of archives' }, 256),
  cacheControl: objectText({ name: 'cacheControl', label: 'Cache-Control of archives' }, 1_024),
  storageClass: objectText(
    { name: 'storageClass', label: 'Storage class of archives', hint: 'For example STANDARD_IA.' },
    64,
  ),
  metadata: lines({
    name: 'metadata',
    label: 'Metadata of archives',
    hint: 'One name=value per line.',
  }),
  tags: lines({
    name: 'tags',
    label: 'Tags of archives',
    hint: 'One name=value per line. R2 has no tags.',
  }),
} as const satisfies Record<string, SettingField>;
export type JobDefaultName = keyof typeof JOB_DEFAULT_FIELDS;
