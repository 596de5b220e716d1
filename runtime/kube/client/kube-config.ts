import type { KubeAccess } from './kube-access.ts';
import { accessOfPod } from './pod-identity.ts';
import type { KubeSettings } from './settings.ts';

/**
 * The identity of the pod, or of the kubeconfig file in `settings.kubeconfig`. Only a kubeconfig loads the whole client
 * library.
 * @throws ConfigError if neither exists
 */
export async function createKubeConfig(settings: KubeSettings): Promise<KubeAccess> {
  if (settings.kubeconfig === '') return accessOfPod(settings);
  const { accessOfKubeconfig } = await import('./kubeconfig-file.ts');
  return accessOfKubeconfig({ files: [settings.kubeconfig] });
}
