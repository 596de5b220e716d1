import { createSealingKey } from '#runtime/crypto/sealed-box.ts';
import { REFUSAL_REASONS } from '#runtime/egress/refusal-reason.ts';
import type { Pod } from '#runtime/kube/resources.ts';
import type { Change } from '#runtime/kube/types.ts';
import type { Logger } from '#runtime/log/log.ts';
import { zipJobKeyOf } from '../cluster/caches.ts';
import { terminationMessageOf } from '../cluster/termination-message.ts';
import type { ControllerMetrics } from '../metrics.ts';

/** The causes of unreachable sources, which zippers report to the controller alone: users of a project may not learn them. */
export interface UnreachableSources {
  /** Zippers seal for this key. Each process has its own, so the causes of jobs that another one started are lost. */
  readonly sealingKey: string;
  readonly see: (change: Change<Pod>) => void;
}

const REASONS: ReadonlySet<string> = new Set(REFUSAL_REASONS);
/** A name of RefusalReason, or the code of an error. */
const CAUSE = /^[\w-]{1,64}$/;

export function createUnreachableSources(
  { sourceRefusals }: Pick<ControllerMetrics, 'sourceRefusals'>,
  log: Logger,
): UnreachableSources {
  const key = createSealingKey();
  return {
    sealingKey: key.publicKey,
    see: (change) => {
      if (change.kind !== 'set' || terminationMessageOf(change.before)) return;
      const { object: pod } = change;
      const { sealed } = terminationMessageOf(pod) ?? {};
      const text = sealed === undefined ? undefined : key.open(sealed);
      const causes = text?.split(' ').filter((cause) => CAUSE.test(cause)) ?? [];
      if (causes.length === 0) return;
      for (const reason of causes) if (REASONS.has(reason)) sourceRefusals.inc({ reason });
      log.info({ zipJob: zipJobKeyOf(pod), pod: pod.metadata.name, causes }, 'sources were unreachable');
    },
  };
}
