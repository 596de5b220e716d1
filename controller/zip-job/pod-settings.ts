import type { ZipProject } from '#crds/zip-project.ts';
import type { DecisionConfig } from './observation.ts';

/**
 * The pod settings for a project. They override those of the chart, but a project cannot remove the node restrictions of the
 * chart.
 */
export function settingsIn(project: ZipProject | undefined, config: DecisionConfig): DecisionConfig {
  const pods = project?.spec.pods;
  if (!pods) return config;
  const { priorityClassName, resources, nodeSelector, tolerations = [] } = pods;
  const { spec } = config.zipperPod;
  return {
    ...config,
    zipperPriorityClassName: priorityClassName ?? config.zipperPriorityClassName,
    zipperResources: { ...config.zipperResources, ...resources },
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
