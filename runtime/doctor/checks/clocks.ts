import { listAt, textAt } from '../../kube/fields.ts';
import { durationText } from '../../time/duration-text.ts';
import type { Check } from '../context.ts';
import { type Finding, orOk, warning } from '../finding.ts';
import { KINDS } from '../kinds.ts';

/** Stores refuse requests whose time differs by more than 15 minutes, and tokens are valid from a time. */
const TOLERANCE_MS = 30_000;
/** A kubelet renews its Lease, which the API server marks with its own time. */
const NODE_LEASES = 'kube-node-lease';

/**
 * How far the clock of the node is ahead of that of the API server: the kubelet writes renewTime, and the API server the time of
 * that write. Undefined if the Lease does not have both.
 */
function aheadMs(lease: unknown): number | undefined {
  const written = listAt(lease, 'metadata', 'managedFields').map((one) => Date.parse(textAt(one, 'time')));
  const ahead = Date.parse(textAt(lease, 'spec', 'renewTime')) - Math.max(...written);
  return Number.isFinite(ahead) ? ahead : undefined;
}

function skewText(what: string, ms: number): string {
  return `The clock of ${what} is ${durationText(Math.abs(ms))} ${ms > 0 ? 'ahead of' : 'behind'} that of the API server`;
}

function finding(what: string, ms: number | undefined): readonly Finding[] {
  if (ms === undefined || Math.abs(ms) <= TOLERANCE_MS) return [];
  const effect = 'Stores refuse signed requests, and tokens seem expired';
  return [
    warning(
      `${skewText(what, ms)}. ${effect}`,
      'Correct its time service, such as chrony or systemd-timesyncd',
    ),
  ];
}

export const clocks: Check = {
  name: 'clocks',
  run: async ({ reader, clock, serverClock }) => {
    const here = finding('this machine', clock.date().getTime() - serverClock.date().getTime());
    const { items } = await reader.list(KINDS.Lease, { namespace: NODE_LEASES });
    const nodes = items.flatMap((one) => finding(`node ${textAt(one, 'metadata', 'name')}`, aheadMs(one)));
    return orOk(
      [...here, ...nodes],
      `The clocks of ${items.length} nodes and this machine agree with the API server`,
    );
  },
};
