import { ANNOTATIONS } from '#crds/api-group.ts';
import type { Lease } from '#runtime/kube/resources.ts';

/** Maximum length of the pause reason in a status. */
const MAX_REASON = 200;

export interface Pause {
  /** Why jobs are paused; undefined if they are not. */
  readonly reason: string | undefined;
  /** Called with the Lease each time that it is read. */
  see(lease: Lease): void;
}

function reasonOf({ metadata }: Lease): string | undefined {
  const text = metadata.annotations?.[ANNOTATIONS.paused];
  if (text === undefined || text === 'false') return undefined;
  return text === '' || text === 'true' ? 'no reason given' : text.slice(0, MAX_REASON);
}

/**
 * Pauses all jobs. The annotation is on the Lease because the leader reads it every few seconds anyway: it needs no
 * restart, no additional permission or watch, and outlives every leader and upgrade.
 */
export function createPause(onChange: (reason: string | undefined) => void): Pause {
  let reason: string | undefined;
  return {
    get reason() {
      return reason;
    },
    see: (lease) => {
      const next = reasonOf(lease);
      if (next === reason) return;
      reason = next;
      onChange(reason);
    },
  };
}
