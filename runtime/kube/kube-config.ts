import type { KubeAccess } from './kube-access.ts';
import { accessOfPod } from './pod-identity.ts';
import type { KubeSettings } from './settings.ts';

/**
 * The pod's own identity, or that of the kubeconfig file when `settings.kubeconfig` names one. Only for the latter the
 * client library is loaded whole.
 * @throws ConfigError when neither is there.
 */
export const createKubeConfig = async (settings: KubeSettings): Promise<KubeAccess> => {
  if (settings.kubeconfig === '') return accessOfPod(settings);
  const { accessOfKubeconfig } = await import('./kubeconfig-file.ts');
  return accessOfKubeconfig({ files: [settings.kubeconfig] });
};
