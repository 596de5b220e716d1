import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { defined } from '#runtime/collections/optional.ts';
import { ConfigError } from '#runtime/errors.ts';
import type { ContextAccess } from '#runtime/kube/client/kubeconfig-file.ts';
import { accessOfPod } from '#runtime/kube/client/pod-identity.ts';
import type { CommandLineConfig } from './config.ts';

/** Selects the cluster and the user; the defaults are those of kubectl. */
export interface ClusterChoice {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

function filesOf({ kubeconfig }: ClusterChoice, config: CommandLineConfig, cwd: string): readonly string[] {
  if (kubeconfig !== undefined) return [resolve(cwd, kubeconfig)];
  const files = config.kubeconfig.split(delimiter).filter((file) => file !== '');
  const named = files.map((file) => resolve(cwd, file));
  // Like kubectl, skip listed files that do not exist.
  if (named.length > 1) return named.filter((file) => existsSync(file));
  if (named.length === 1) return named;
  const usual = join(config.home, '.kube', 'config');
  return existsSync(usual) ? [usual] : [];
}

async function accessInPod(config: CommandLineConfig): Promise<ContextAccess> {
  const access = accessOfPod(config);
  const namespace = (await readFile(join(config.serviceAccountDir, 'namespace'), 'utf8')).trim();
  return { ...access, namespace, knownNamespaces: [namespace], knownContexts: [] };
}

/**
 * The kubeconfig from the option, the environment or the home directory, or else the service account of the pod.
 * @throws ConfigError when none exists, or it is invalid.
 */
export async function accessCluster(
  choice: ClusterChoice,
  config: CommandLineConfig,
  { cwd }: { readonly cwd: string },
): Promise<ContextAccess> {
  const files = filesOf(choice, config, cwd);
  if (files.length > 0) {
    // This import loads the whole client library: skip it for help and invalid arguments.
    const { accessOfKubeconfig } = await import('#runtime/kube/client/kubeconfig-file.ts');
    const { context } = choice;
    return accessOfKubeconfig(defined({ files, context }));
  }
  if (config.kubernetesHost === '')
    throw new ConfigError(
      'No cluster configured: no kubeconfig found. Pass one with --kubeconfig or KUBECONFIG, or create ~/.kube/config',
    );
  return accessInPod(config);
}
