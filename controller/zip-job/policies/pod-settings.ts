import type { ZipProject } from '#crds/zip-project.ts';
import type { DecisionConfig } from '../observation.ts';

/**
 * The settings of the pods of a project: of archives, recoveries and bucket tests. They override those of the chart, but a project
 * cannot remove the node restrictions of the chart. If it sets resources, all its pods have those of its archives: a LimitRange that
 * accepts one then accepts all.
 */
export function settingsIn<T extends DecisionConfig>(project: ZipProject | undefined, config: T): T {
  const pods = project?.spec.pods;
  if (!pods) return config;
  const { priorityClassName, resources, nodeSelector, tolerations = [] } = pods;
  const { spec } = config.zipperPod;
  const zipperResources = { ...config.zipperResources, ...resources };
  return {
    ...config,
    zipperPriorityClassName: priorityClassName ?? config.zipperPriorityClassName,
    zipperResources,
    recoveryResources: resources ? zipperResources : config.recoveryResources,
    zipperPod: {
      ...config.zipperPod,
      spec: {
        ...spec,
        nodeSelector: { ...nodeSelector, ...spec.nodeSelector },
        tolerations: [...(spec.tolerations ?? []), ...tolerations],
      },
    },
  };
}
