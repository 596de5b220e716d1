import { REASONS } from '#crds/conditions.ts';
import type { EndpointDelivery } from '#crds/zip-job.ts';

/** What happened to a resent event that was not delivered. A resend counts its attempts from 0. */
export function resendFailure(delivery: EndpointDelivery | undefined): string {
  const { attempts = 0, reason = 'EndpointDisabled' } = delivery ?? {};
  return attempts > 0 ? 'sent, but the receiver did not accept it.' : `not sent. ${REASONS[reason]}`;
}
