import { createHash } from 'node:crypto';
import { PROJECT_NAME } from '#crds/api-group.ts';
import type { CallerOption } from '#crds/caller-options.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { isRecord } from '#runtime/kube/decode.ts';
import { isKubeError } from '#runtime/kube/kube-error.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import { AdministrationError, hasCode, invalidInput } from './administration-error.ts';
import { checkProjectChange } from './project-input.ts';
import { type Project, toProject } from './project-view.ts';
import { requiredProject } from './required-project.ts';

/** The parts of a ZipProject that its owner changes one at a time. The webhook has operations of its own. */
export type SettingsPart =
  | 'displayName'
  | 'limits'
  | 'jobDefaults'
  | 'callerOptions'
  | 'historyRetentionDays';
type PartValue<P extends SettingsPart> = ZipProject['spec'][P];

/** Every setting of a project for its owner, and the version of each part. */
export interface ProjectSettings extends Project {
  readonly jobDefaults: ZipProject['spec']['jobDefaults'] & object;
  /** Options that callers cannot set, in addition to those that the class closes. */
  readonly closedOptions: readonly CallerOption[];
  /** Identifies the value of each part. */
  readonly versions: Readonly<Record<SettingsPart, string>>;
}

/** A new value for one part; undefined removes it. */
export type SettingsValue = {
  readonly [P in SettingsPart]: { readonly part: P; readonly value: PartValue<P> | undefined };
}[SettingsPart];

export type SettingsChange = SettingsValue & {
  /** Of `versions`, as it was read. */
  readonly version: string;
};

/** Changes of other parts and of the status do not change the version of a part. The API server sorts the keys of an object. */
const versionOf = ({ spec }: Pick<ZipProject, 'spec'>, part: SettingsPart): string =>
  createHash('sha256')
    .update(JSON.stringify(spec[part] ?? null))
    .digest('base64url')
    .slice(0, 16);

export const toSettings = (project: ZipProject): ProjectSettings => {
  const { spec } = project;
  return {
    ...toProject(project),
    jobDefaults: spec.jobDefaults ?? {},
    closedOptions: spec.callerOptions?.closed ?? [],
    versions: {
      displayName: versionOf(project, 'displayName'),
      limits: versionOf(project, 'limits'),
      jobDefaults: versionOf(project, 'jobDefaults'),
      callerOptions: versionOf(project, 'callerOptions'),
      historyRetentionDays: versionOf(project, 'historyRetentionDays'),
    },
  };
};

/** A merge patch keeps keys that it omits, so keys that are gone are set to null. */
const mergePatchTo = (before: unknown, after: unknown): unknown => {
  if (after === undefined) return null;
  if (!isRecord(before) || !isRecord(after)) return after;
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return Object.fromEntries(names.map((name) => [name, mergePatchTo(before[name], after[name])]));
};

/** `Invalid value: 0: spec.limits.activeJobs in body should be ...` without what the form shows anyway. */
const saidOf = (message: string): string =>
  message.replace(/^Invalid value: .*?: /s, '').replace(/^spec\.\S+ in body /, '');

/** Names the field that the API server rejected, relative to the spec. */
const withField = (error: unknown): unknown => {
  if (!(error instanceof AdministrationError) || !isKubeError(error.cause, 'Invalid')) return error;
  const [first] = error.cause.causes;
  return first?.field.startsWith('spec.') === true
    ? invalidInput(first.field.slice('spec.'.length), saidOf(first.message))
    : error;
};

/** The status of a project changes at any time; each attempt reads the project again. */
const MOST_ATTEMPTS = 5;

const check = (change: SettingsChange): void => {
  if (change.part === 'displayName' && change.value !== undefined)
    checkProjectChange({ displayName: change.value });
  if (change.part === 'limits' && change.value !== undefined) checkProjectChange({ limits: change.value });
};

/**
 * Writes one part, if it is still as it was read. Other parts stay as they are.
 * @throws AdministrationError Conflict if it has changed; InvalidInput with the path of the field below the spec; NotFound
 */
export const changeSettings = async (
  projects: Pick<ObjectClient<ZipProject>, 'get' | 'mergePatch'>,
  namespace: string,
  change: SettingsChange,
): Promise<ZipProject> => {
  check(change);
  const { part, value, version } = change;
  for (let attempt = 1; ; attempt += 1) {
    const project = await requiredProject(projects, namespace);
    if (versionOf(project, part) !== version)
      throw new AdministrationError(
        'Someone else changed these settings after you opened this page. Compare the current values, then save again to replace them',
        { code: 'Conflict' },
      );
    const { resourceVersion } = project.metadata;
    try {
      return await projects.mergePatch(
        { namespace, name: PROJECT_NAME },
        { metadata: { resourceVersion }, spec: { [part]: mergePatchTo(project.spec[part], value) } },
      );
    } catch (error) {
      if (!hasCode(error, 'Conflict') || attempt === MOST_ATTEMPTS) throw withField(error);
    }
  }
};
