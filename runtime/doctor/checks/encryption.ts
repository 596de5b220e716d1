import { listAt, textAt } from '../../kube/fields.ts';
import type { Check } from '../context.ts';
import { type Finding, ok, warning } from '../finding.ts';
import { KINDS } from '../kinds.ts';

const SYSTEM = 'kube-system';
const FLAG = '--encryption-provider-config';

function flagsOf(pod: unknown): readonly string[] {
  return listAt(pod, 'spec', 'containers').flatMap((one) =>
    [...listAt(one, 'command'), ...listAt(one, 'args')].map(String),
  );
}

function isEncrypted(pod: unknown): boolean {
  return flagsOf(pod).some((flag) => flag === FLAG || flag.startsWith(`${FLAG}=`));
}

const UNSEEN: Finding = {
  level: 'note',
  message:
    'It cannot be seen from here whether Secrets are encrypted at rest: the API server is not a pod of this cluster',
  remedy:
    'Ask who runs the control plane, or look at the settings of the managed cluster: docs/install.md, "Encryption of Secrets"',
};

/** The kubeadm of most clusters runs API servers as pods, whose flags are visible. */
export const encryption: Check = {
  name: 'encryption',
  run: async ({ reader }) => {
    const { items } = await reader.list(KINDS.Pod, {
      namespace: SYSTEM,
      labelSelector: 'component=kube-apiserver',
    });
    if (items.length === 0) return [UNSEEN];
    const plain = items.filter((pod) => !isEncrypted(pod)).map((pod) => textAt(pod, 'metadata', 'name'));
    if (plain.length === 0) return [ok('The API server has an encryption configuration')];
    return [
      warning(
        `Secrets are stored unencrypted: ${plain.join(', ')} in namespace ${SYSTEM} runs without ${FLAG}`,
        'Configure encryption at rest: https://kubernetes.io/docs/tasks/administer-cluster/encrypt-data',
      ),
    ];
  },
};
