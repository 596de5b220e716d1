import type { CallerOption } from '#crds/caller-options.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { isKubeError } from '#runtime/kube/client/kube-error.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import { changeSpec, checkVersion, versionOf } from '../changes/change-spec.ts';
import { requiredProject } from '../changes/required-project.ts';
import { AdministrationError, invalidInput } from '../errors/administration-error.ts';
import { checkProjectChange } from './project-input.ts';
import { type Project, toProject } from './project-view.ts';

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
  /** The parts as they are, with the values that only a newer version knows. */
  readonly own: Pick<ZipProject['spec'], SettingsPart>;
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

export function toSettings(project: ZipProject): ProjectSettings {
  const { spec } = project;
  return {
    ...toProject(project),
    jobDefaults: spec.jobDefaults ?? {},
    closedOptions: spec.callerOptions?.closed ?? [],
    own: spec,
    versions: {
      displayName: versionOf(spec.displayName),
      limits: versionOf(spec.limits),
      jobDefaults: versionOf(spec.jobDefaults),
      callerOptions: versionOf(spec.callerOptions),
      historyRetentionDays: versionOf(spec.historyRetentionDays),
    },
  };
}

/** Names the field that the API server rejected, relative to the spec. */
function withField(error: unknown): unknown {
  if (!(error instanceof AdministrationError) || !isKubeError(error.cause, 'Invalid')) return error;
  const [first] = error.cause.causes;
  return first?.field.startsWith('spec.') === true
    ? invalidInput(first.field.slice('spec.'.length), first.message)
    : error;
}

function check(change: SettingsChange): void {
  if (change.part === 'displayName' && change.value !== undefined)
    checkProjectChange({ displayName: change.value });
  if (change.part === 'limits' && change.value !== undefined) checkProjectChange({ limits: change.value });
}

/**
 * Writes one part, if it is still as it was read. Changes of other parts and of the status do not matter, and stay as they are.
 * @throws AdministrationError Conflict if it has changed; InvalidInput with the path of the field below the spec; NotFound
 */
export async function changeSettings(
  projects: Pick<ObjectClient<ZipProject>, 'get' | 'mergePatch'>,
  namespace: string,
  change: SettingsChange,
): Promise<ZipProject> {
  check(change);
  const { part, value, version } = change;
  try {
    return await changeSpec(projects, {
      read: () => requiredProject(projects, namespace),
      change: ({ spec }) => {
        checkVersion(versionOf(spec[part]), version);
        return { ...spec, [part]: value };
      },
    });
  } catch (error) {
    throw withField(error);
  }
}
