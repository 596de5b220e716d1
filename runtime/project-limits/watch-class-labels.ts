import { LABELS } from '#crds/api-group.ts';
import { defined } from '../collections/optional.ts';
import { keptAs } from '../kube/cache/kept-as.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { type Namespace, RESOURCES } from '../kube/resources.ts';
import type { Change, Reflector } from '../kube/types.ts';
import { createReflector } from '../kube/watch/reflector.ts';
import type { ReflectorMetrics, ReflectorSettings } from '../kube/watch/reflector-options.ts';
import type { Logger } from '../log/log.ts';

function toLabelled({ apiVersion, kind, metadata }: Namespace): Namespace {
  const { name, namespace, uid, resourceVersion, labels } = metadata;
  const projectClass = labels?.[LABELS.projectClass] ?? '';
  return defined({
    apiVersion,
    kind,
    metadata: defined({
      name,
      namespace,
      uid,
      resourceVersion,
      labels: { [LABELS.projectClass]: projectClass },
    }),
  });
}

/** A cache of the namespaces with a class; the API server does not send others. */
export function watchClassLabels(deps: {
  readonly kube: KubeClient;
  readonly log: Logger;
  readonly metrics: ReflectorMetrics;
  readonly settings?: Partial<ReflectorSettings>;
  readonly onChange?: (change: Change<Namespace>) => void;
}): Reflector<Namespace> {
  return createReflector({
    ...deps,
    definition: keptAs(RESOURCES.namespaces, toLabelled),
    labelSelector: LABELS.projectClass,
    // Only operators of the cluster label namespaces.
    isExempt: () => true,
  });
}
