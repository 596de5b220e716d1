import type { ZipProject } from '#crds/zip-project.ts';
import type { DecisionConfig } from './observation.ts';

/**
 * The effective pod settings of a project. They override those of the chart, but a project cannot loosen where the chart lets
 * zippers run.
 */
export const settingsIn = (project: ZipProject | undefined, config: DecisionConfig): DecisionConfig => {
  const pods = project?.spec.pods;
  if (!pods) return config;
  const { priorityClassName, resources, nodeSelector, tolerations = [] } = pods;
  return {
    ...config,
    zipperPriorityClassName: priorityClassName ?? config.zipperPriorityClassName,
    zipperResources: { ...config.zipperResources, ...resources },
    zipperNodeSelector: { ...nodeSelector, ...config.zipperNodeSelector },
    zipperTolerations: [...config.zipperTolerations, ...tolerations],
  };
};
