/** The texts of errors that differ between stores and security token services. */
import type { EgressRefusedError } from '#runtime/egress/egress-refused-error.ts';
import type { RefusalReason } from '#runtime/egress/refusal-reason.ts';

export interface ServiceTexts {
  /** The certificate is signed by an unknown authority. Replaces Node's text, which suggests a flag of Node. */
  readonly untrusted: string;
  /** The value of the chart with the hosts that the operator allows. */
  readonly hostsValue: string;
}

export const STORE_TEXTS: ServiceTexts = {
  untrusted:
    'the certificate of the store is signed by an unknown authority; add the authority to spec.caBundle of the bucket, or ask your administrator to add it to trustBundle. If the authority is there, the store does not send its intermediate certificates',
  hostsValue: 'store.allowedHosts',
};

/** Reasons that are no range of addresses, so store.allowCidrs does not help. */
const NO_RANGE: ReadonlySet<RefusalReason> = new Set(['name', 'not-an-address', 'zone', 'mapped-literal']);

function reasonText(reason: RefusalReason, hostsValue: string): string {
  if (reason === 'api-server')
    return `it has the address of the API server. Ask your administrator to add the host with its port, as host:port, to ${hostsValue}. The port of the API server itself stays blocked`;
  if (reason === 'denied-by-operator') return 'its address is in egress.denyCidrs';
  if (NO_RANGE.has(reason)) return `its name or address is not allowed (${reason})`;
  return `its address is not public (${reason}). Ask your administrator to add its range to store.allowCidrs`;
}

/** Names the reason: the operator chose the hosts, so it says nothing about hosts that users choose. */
export function refusedText({ host, reason }: EgressRefusedError, { hostsValue }: ServiceTexts): string {
  return `Could not connect to ${host}: ${reasonText(reason, hostsValue)}`;
}
