import { ANNOTATIONS } from '#crds/api-group.ts';
import type { Lease } from '#runtime/kube/resources.ts';

/** As much of the annotation as a status repeats. */
const MAX_REASON = 200;

export interface Pause {
  /** Why no job begins now; undefined when jobs may begin. */
  readonly reason: string | undefined;
  /** Told of the Lease each time that it is read. */
  see(lease: Lease): void;
}

const reasonOf = ({ metadata }: Lease): string | undefined => {
  const text = metadata.annotations?.[ANNOTATIONS.paused];
  if (text === undefined || text === 'false') return undefined;
  return text === '' || text === 'true' ? 'no reason given' : text.slice(0, MAX_REASON);
};

/**
 * The switch for people on call. It stands on the Lease because whoever leads reads that every few seconds anyway: it needs no
 * restart, no further right and no further watch, and outlives every leader and upgrade.
 */
export const createPause = (onChange: (reason: string | undefined) => void): Pause => {
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
};
