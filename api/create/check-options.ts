import { CALLER_OPTIONS, type CallerOption } from '#crds/caller-options.ts';
import { type ManifestFormat, type OnConflict, type OnSourceError, type ZipJobSpec } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { defined } from '#runtime/collections/optional.ts';
import { MODIFICATION_TIME_PROBLEM, modificationTime } from '#runtime/zip-request/modification-time.ts';
import { isLooser } from '#runtime/zip-request/strictness.ts';
import { parameterInvalid } from '../errors/api-error.ts';
import { assertObjectValid, readObjectOptions } from './check-object-options.ts';
import type { OptionFields } from './schemas/job-options.ts';

/** What a request chooses; an absent field has the default of the project. */
export interface RequestOptions
  extends Pick<
    ZipJobSpec,
    | 'onSourceError'
    | 'compression'
    | 'onConflict'
    | 'sha256'
    | 'portableNames'
    | 'duplicateNames'
    | 'fixedModificationTime'
    | 'sequential'
    | 'objectOptions'
  > {
  readonly manifest?: ManifestFormat;
}

/** What a project lets its callers choose. */
export interface OptionRules {
  readonly closedBy: (option: CallerOption) => 'operator' | 'project' | undefined;
  readonly defaults: ZipProject['spec']['jobDefaults'] & object;
}

const ON_SOURCE_ERROR = {
  fail: 'Fail',
  skip: 'Skip',
  placeholder: 'Placeholder',
} as const satisfies Record<OptionFields['on_source_error'] & string, OnSourceError>;

/** The field of the request that contains an option, and whether the request sets it. */
function find(body: OptionFields, option: CallerOption): readonly [field: string, isSet: boolean] {
  const [field = '', part] = option.split('.');
  const fields: Readonly<Record<string, unknown>> = { ...(part === undefined ? body : body.object) };
  return [field, fields[part ?? field] !== undefined];
}

function assertOpen(body: OptionFields, { closedBy }: OptionRules): void {
  for (const option of CALLER_OPTIONS) {
    const [field, isSet] = find(body, option);
    const closer = isSet ? closedBy(option) : undefined;
    if (closer !== undefined)
      throw parameterInvalid(
        field,
        `${option} is not available: the ${closer} has closed this option${closer === 'operator' ? ' for the project' : ''}. Remove it from the request.`,
      );
  }
}

const FIELDS = { on_conflict: 'onConflict', portable_names: 'portableNames' } as const;

function assertNotLooser(
  option: keyof typeof FIELDS,
  { chosen, demanded, by }: { chosen: string | undefined; demanded: string | undefined; by: string },
): void {
  if (isLooser(FIELDS[option], chosen, demanded))
    throw parameterInvalid(
      option,
      `${option} cannot be "${chosen}": the ${by} requires "${demanded}", and a request can only be stricter.`,
    );
}

/** @throws ApiError parameter_invalid if the request would replace objects that the bucket or the project keeps */
export function assertConflictAllowed(
  chosen: OnConflict | undefined,
  demanded: string | undefined,
  by: 'bucket' | 'project',
): void {
  return assertNotLooser('on_conflict', { chosen, demanded, by });
}

function assertTime(text: string | undefined): void {
  if (text === undefined || modificationTime(text) !== undefined) return;
  throw parameterInvalid('modification_time', `modification_time ${MODIFICATION_TIME_PROBLEM}.`);
}

/** The options of a body whose types are valid. An invalid time stays as it is, so that the request differs from one without. */
export function readOptions(body: OptionFields): RequestOptions {
  return defined({
    onSourceError: body.on_source_error && ON_SOURCE_ERROR[body.on_source_error],
    compression: body.compression,
    onConflict: body.on_conflict,
    sha256: body.sha256,
    manifest: body.manifest,
    portableNames: body.portable_names,
    duplicateNames: body.duplicate_names,
    fixedModificationTime:
      body.modification_time && (modificationTime(body.modification_time) ?? body.modification_time),
    sequential: body.sequential,
    objectOptions: readObjectOptions(body.object),
  });
}

/** @throws ApiError parameter_invalid for a closed option, a looser one than the project requires, or an invalid value */
export function assertOptionsAllowed(body: OptionFields, rules: OptionRules): void {
  assertOpen(body, rules);
  const { defaults } = rules;
  assertConflictAllowed(body.on_conflict, defaults.onConflict, 'project');
  assertNotLooser('portable_names', {
    chosen: body.portable_names,
    demanded: defaults.portableNames,
    by: 'project',
  });
  assertTime(body.modification_time);
  assertObjectValid(readObjectOptions(body.object));
}
