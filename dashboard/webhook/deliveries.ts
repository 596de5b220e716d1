import type { PageRequest } from '../http/page.ts';
import { FORMAT } from '../ui/format.ts';
import { reasonAgainst, refusalOf } from '../user/reason-against.ts';
import { type DeliveryLog, type DeliverySource, deliveryLog } from './delivery-log.ts';
import {
  deliveryChips,
  EVENT_OPTIONS,
  RESULT_OPTIONS,
  readDeliveryQuery,
  writeDeliveryQuery,
} from './delivery-query.ts';
import { webhookHref } from './webhook-paths.ts';
import { WEBHOOK_RIGHTS } from './webhook-rights.ts';

const NOTHING: DeliveryLog = { rows: [], total: 0, failed: 0, isEmpty: true };

/** Recent deliveries with the filters of the query; they stay live. */
export async function deliveriesOf(source: DeliverySource, request: PageRequest) {
  const { namespace } = request;
  const query = readDeliveryQuery(request.query);
  const [reason, resendReason] = await Promise.all([
    // Deliveries come from a cache, which knows no permissions.
    refusalOf(request, WEBHOOK_RIGHTS.log),
    reasonAgainst(request, WEBHOOK_RIGHTS.resend),
  ]);
  const log = reason === '' ? deliveryLog(source, { namespace, query }) : NOTHING;
  return {
    reason,
    log,
    query,
    href: webhookHref(namespace),
    filterForm: { values: { ...query }, errors: {} },
    results: RESULT_OPTIONS,
    eventTypes: EVENT_OPTIONS,
    filters: deliveryChips(namespace, query),
    canResend: resendReason === '',
    resendReason,
    resendHref: webhookHref(namespace, 'resend'),
    resendFailedHref: webhookHref(namespace, 'resend') + writeDeliveryQuery({ ...query, result: '' }),
    liveDeliveries:
      FORMAT.path('projects', namespace, 'live', 'webhook', 'deliveries') + writeDeliveryQuery(query),
  };
}
