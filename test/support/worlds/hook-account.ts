import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { RELEASE, RELEASE_NAMESPACE } from '../processes/installation.ts';

/** Creates the account of a hook of Helm, which exists only while the hook runs. Disposing of the result deletes it. */
export async function createHookAccount(
  cluster: Pick<Cluster, 'helm' | 'kubectl'>,
  hook: 'tests' | 'uninstall',
): Promise<AsyncDisposable> {
  const template = ['template', RELEASE, 'charts/zipjobs', '--namespace', RELEASE_NAMESPACE];
  const selection = ['--show-only', `templates/${hook}/access.yaml`, '--set', 'image.registry=localhost'];
  const { stdout: input } = await cluster.helm([...template, ...selection]);
  await cluster.kubectl(['apply', '-f', '-'], { input });
  return {
    [Symbol.asyncDispose]: async () => {
      await cluster.kubectl(['delete', '-f', '-'], { input });
    },
  };
}
