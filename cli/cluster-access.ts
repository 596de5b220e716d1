import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { ConfigError } from '#runtime/errors.ts';
import type { ContextAccess } from '#runtime/kube/kubeconfig-file.ts';
import { accessOfPod } from '#runtime/kube/pod-identity.ts';
import type { CommandLineConfig } from './config.ts';

/** Which cluster, and as whom; each default is kubectl's. */
export interface ClusterChoice {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

const filesOf = ({ kubeconfig }: ClusterChoice, config: CommandLineConfig): readonly string[] => {
  if (kubeconfig !== undefined) return [kubeconfig];
  const named = config.kubeconfig.split(delimiter).filter((file) => file !== '');
  // As kubectl has it, files of the list that are not there yet are passed over.
  if (named.length > 1) return named.filter((file) => existsSync(file));
  if (named.length === 1) return named;
  const usual = join(config.home, '.kube', 'config');
  return existsSync(usual) ? [usual] : [];
};

const accessInPod = async (config: CommandLineConfig): Promise<ContextAccess> => {
  const access = accessOfPod(config);
  const namespace = (await readFile(join(config.serviceAccountDir, 'namespace'), 'utf8')).trim();
  return { ...access, namespace, knownNamespaces: [namespace] };
};

/**
 * The kubeconfig that was named, that of the environment, that of the home directory, or the service account of the pod.
 * @throws ConfigError when there is none, or it cannot be followed.
 */
export const accessCluster = async (
  choice: ClusterChoice,
  config: CommandLineConfig,
): Promise<ContextAccess> => {
  const files = filesOf(choice, config);
  if (files.length > 0) {
    // The whole client library: not loaded for help and wrong arguments.
    const { accessOfKubeconfig } = await import('#runtime/kube/kubeconfig-file.ts');
    const { context } = choice;
    return accessOfKubeconfig({ files, ...(context !== undefined && { context }) });
  }
  if (config.kubernetesHost === '')
    throw new ConfigError(
      'No cluster is known. Name a kubeconfig with --kubeconfig or KUBECONFIG, or put it at ~/.kube/config',
    );
  return accessInPod(config);
};
