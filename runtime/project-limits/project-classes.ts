import { LABELS } from '#crds/api-group.ts';
import type { CallerOption } from '#crds/caller-options.ts';
import type { ProjectLimits, ZipProject } from '#crds/zip-project.ts';
import type { Namespace } from '../kube/resources.ts';
import type { Reflector } from '../kube/types.ts';
import { type ClassLimits, DEFAULT_CLASS } from './class-settings.ts';
import { eachLimit, lowerLimit } from './lower-limit.ts';

/** The class in force for a project. */
export interface ProjectClass {
  readonly name: string;
  /** The highest values that its projects can have. */
  readonly limits: ProjectLimits;
  /** The label of the namespace, if it names no class. */
  readonly unknown?: string;
}

/** The classes of projects, which only the operator of the cluster can assign. */
export interface ProjectClasses {
  /** The class of the project in a namespace. */
  readonly of: (namespace: string) => ProjectClass;
  /** The limits in force: those of the class, or lower ones of the ZipProject. */
  readonly limitsOf: (namespace: string, project: Pick<ZipProject, 'spec'> | undefined) => ProjectLimits;
  /** Who closes an option for the callers of a project. Undefined: it is open. */
  readonly closedBy: (project: ZipProject, option: CallerOption) => 'operator' | 'project' | undefined;
}

export interface ProjectClassesDeps {
  readonly classes: ClassLimits;
  /** The namespaces with the label; created by `watchClassLabels`. */
  readonly namespaces: Pick<Reflector<Namespace>, 'get'>;
}

export function createProjectClasses({ classes, namespaces }: ProjectClassesDeps): ProjectClasses {
  function classOf(namespace: string): ProjectClass {
    const label = namespaces.get(`/${namespace}`)?.metadata.labels?.[LABELS.projectClass];
    const limits = label === undefined ? undefined : classes.byName.get(label);
    if (label !== undefined && limits !== undefined) return { name: label, limits };
    return {
      name: DEFAULT_CLASS,
      limits: classes.standard,
      ...(label !== undefined && { unknown: label }),
    };
  }
  return {
    of: classOf,
    limitsOf: (namespace, project) => {
      const { limits } = classOf(namespace);
      return eachLimit((name) => lowerLimit(name, limits[name], project?.spec.limits?.[name]));
    },
    closedBy: ({ metadata, spec }, option) => {
      const { name } = classOf(metadata.namespace);
      if (classes.closedOptions.get(name)?.includes(option) === true) return 'operator';
      return spec.callerOptions?.closed?.includes(option) === true ? 'project' : undefined;
    },
  };
}
