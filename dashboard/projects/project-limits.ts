import { limitText } from '#administration/projects/project-limits.ts';
import { toProject } from '#administration/projects/project-view.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { FORMAT } from '../ui/format.ts';

/** A limit with its usage. */
export interface LimitMeter {
  readonly name: string;
  /** `3 of 50`; only the usage while the controller has not reported the limit. */
  readonly text: string;
  readonly used: number;
  /** Undefined while it is unknown. */
  readonly most: number | undefined;
  /** From 0; 0 without a limit. */
  readonly share: number;
}

/** The limits of a project whose usage the dashboard knows. Its settings have the others. */
export function limitMeters(
  zipProject: ZipProject,
  usage: { readonly activeJobs: number; readonly storedJobs: number },
): readonly LimitMeter[] {
  const project = toProject(zipProject);
  function meter(label: string, name: keyof typeof usage): LimitMeter {
    const used = usage[name];
    const most = project.limitsInForce[name] ?? undefined;
    const limit = limitText(project, name, FORMAT.number);
    return {
      name: label,
      text: `${FORMAT.number(used)}${limit === null ? '' : ` of ${limit}`}`,
      used,
      most,
      share: most === undefined || most === 0 ? 0 : used / most,
    };
  }
  return [meter('Active jobs', 'activeJobs'), meter('Stored jobs', 'storedJobs')];
}
