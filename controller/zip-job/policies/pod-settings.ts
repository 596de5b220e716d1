import type { ZipProject } from '#crds/zip-project.ts';
import type { DecisionConfig } from '../observation.ts';

/**
 * Which settings hold for the pods of a project? Its own go before the chart's; but where the chart lets zippers run, no
 * project takes back.
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
