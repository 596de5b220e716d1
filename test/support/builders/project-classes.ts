import { LABELS } from '#crds/api-group.ts';
import type { CallerOption } from '#crds/caller-options.ts';
import type { ProjectLimits } from '#crds/zip-project.ts';
import type { Namespace } from '#runtime/kube/resources.ts';
import { readClassLimits } from '#runtime/project-limits/class-settings.ts';
import { createProjectClasses, type ProjectClasses } from '#runtime/project-limits/project-classes.ts';

export type Classes = Readonly<
  Record<string, Partial<ProjectLimits> & { readonly closedOptions?: readonly CallerOption[] }>
>;

export function aNamespace(name: string, projectClass?: string): Namespace {
  return {
    metadata: {
      name,
      namespace: '',
      ...(projectClass !== undefined && { labels: { [LABELS.projectClass]: projectClass } }),
    },
  };
}

/** Classes as in the chart, and the class that the label of each namespace names. */
export function projectClasses(
  classes: Classes = {},
  labels: Readonly<Record<string, string>> = {},
): ProjectClasses {
  return createProjectClasses({
    classes: readClassLimits(JSON.stringify(classes)),
    namespaces: {
      get: (key) => {
        const label = labels[key.slice(1)];
        return label === undefined ? undefined : aNamespace(key.slice(1), label);
      },
    },
  });
}
