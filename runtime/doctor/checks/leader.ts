import { ANNOTATIONS } from '#crds/api-group.ts';
import { fieldAt, textAt } from '../../kube/fields.ts';
import { durationText } from '../../time/duration-text.ts';
import type { Check, CheckContext } from '../context.ts';
import { type Finding, failure, ok, warning } from '../finding.ts';
import { KINDS } from '../kinds.ts';

/** A leader renews its Lease several times within its duration; the clocks of both are those of the API server. */
const GRACE_MS = 5_000;

/** The leader, as its Lease says. */
export interface Lead {
  readonly lease: string;
  /** Name of the leading pod; undefined without a leader. */
  readonly holder: string | undefined;
  readonly since: string | undefined;
  readonly renewedMs: number;
  readonly isStale: boolean;
  /** Why all jobs are paused; undefined if they are not. */
  readonly paused: string | undefined;
}

function pausedReason(lease: unknown): string | undefined {
  const annotations = fieldAt(lease, 'metadata', 'annotations');
  const value = fieldAt(annotations, ANNOTATIONS.paused);
  if (typeof value !== 'string' || value === 'false') return undefined;
  return value === '' || value === 'true' ? 'no reason given' : value;
}

/** Undefined without a Lease. @throws ForbiddenReadError */
export async function readLead({ reader, release, serverClock }: CheckContext): Promise<Lead | undefined> {
  const name = `${release.prefix}-controller`;
  const lease = await reader.get(KINDS.Lease, name, release.namespace);
  if (lease === undefined) return undefined;
  const renewedMs = serverClock.date().getTime() - Date.parse(textAt(lease, 'spec', 'renewTime'));
  const durationMs = Number(textAt(lease, 'spec', 'leaseDurationSeconds')) * 1000;
  const holder = textAt(lease, 'spec', 'holderIdentity');
  return {
    lease: name,
    holder: holder === '' ? undefined : holder.split(/[_/]/, 1)[0],
    since: textAt(lease, 'spec', 'acquireTime') || undefined,
    renewedMs,
    isStale: !(renewedMs <= durationMs + GRACE_MS),
    paused: pausedReason(lease),
  };
}

function finding(lead: Lead | undefined, { namespace, prefix }: CheckContext['release']): Finding {
  const remedy = `See why no controller is ready: kubectl get pods -n ${namespace} -l app.kubernetes.io/component=controller; kubectl logs -n ${namespace} deployment/${prefix}-controller`;
  const lease = `Lease ${prefix}-controller in namespace ${namespace}`;
  if (lead === undefined)
    return failure(`No controller leads: ${lease} does not exist, so no job starts`, remedy);
  if (lead.holder === undefined)
    return failure(`No controller leads: ${lease} has no holder, so no job starts`, remedy);
  if (lead.isStale)
    return failure(
      `No controller leads: ${lead.holder} has not renewed ${lease} for ${durationText(lead.renewedMs)}`,
      remedy,
    );
  return ok(`${lead.holder} leads since ${lead.since ?? 'an unknown time'}`);
}

export const leader: Check = {
  name: 'leader',
  run: async (context) => [finding(await readLead(context), context.release)],
};

export const paused: Check = {
  name: 'paused',
  run: async (context) => {
    const lead = await readLead(context);
    if (lead?.paused === undefined) return [ok('Jobs may start')];
    const { namespace } = context.release;
    return [
      warning(
        `All jobs are paused: ${lead.paused}`,
        `Resume them: kubectl annotate lease -n ${namespace} ${lead.lease} ${ANNOTATIONS.paused}-`,
      ),
    ];
  },
};
