import { deliveryResponse } from '#administration/jobs/delivery-response.ts';
import { DEFAULT_ENDPOINT } from '#crds/webhook-endpoints.ts';
import type { WebhookState, ZipJob } from '#crds/zip-job.ts';
import { webhookBody } from '#runtime/webhook/payload.ts';
import { notFound, type PageRequest, type Route, type ShownPage } from '../http/page.ts';
import { readJob } from '../jobs/find-job.ts';
import { lastDeliveryOf } from '../live/deliveries.ts';
import { FORMAT } from '../ui/format.ts';
import { DELIVERY_BADGES } from '../ui/words.ts';
import { reasonAgainst } from '../user/reason-against.ts';
import { deliveryCurl } from './delivery-curl.ts';
import { deliveryId, readEndpoint, WEBHOOK_PATH, webhookHref, webhookTrail } from './webhook-paths.ts';
import { WEBHOOK_RIGHTS } from './webhook-rights.ts';

/** Newest first. Of a response only the status is known: everything else could reveal internal services. */
function attemptsOf({ log = [] }: WebhookState) {
  return log.toReversed().map((attempt) => ({
    at: attempt.at,
    response: deliveryResponse(attempt),
    durationMs: attempt.durationMs,
    bytes: attempt.bytes ?? null,
    attempt: attempt.attempt ?? null,
  }));
}

function dataOf(zipJob: ZipJob, endpoint: string, errorHelpUrl: string) {
  const delivery = lastDeliveryOf({ status: zipJob.status ?? {} }, endpoint);
  if (delivery === undefined) throw notFound('The webhook of this job has not been sent.');
  const { webhook, event, result } = delivery;
  const { namespace, name } = zipJob.metadata;
  const id = webhook.deliveryId ?? '';
  const body = webhookBody(zipJob, event, errorHelpUrl);
  return {
    key: zipJob.spec.key,
    job: FORMAT.path('projects', namespace, 'jobs', name),
    resendId: deliveryId({ job: name, endpoint }),
    endpoint: endpoint === DEFAULT_ENDPOINT ? '' : endpoint,
    id,
    event,
    badge: DELIVERY_BADGES[result],
    isDelivered: result === 'delivered',
    nextAttemptAt: webhook.state === 'Pending' ? (webhook.nextAttemptAt ?? null) : null,
    attempts: attemptsOf(webhook),
    body,
    curl: deliveryCurl({ id, body }),
  };
}

async function show(request: PageRequest, { errorHelpUrl }: DeliveryPageDeps): Promise<ShownPage> {
  const { namespace } = request;
  const [zipJob, resendReason] = await Promise.all([
    readJob(request),
    reasonAgainst(request, WEBHOOK_RIGHTS.resend),
  ]);
  const data = dataOf(zipJob, readEndpoint(request.query), errorHelpUrl);
  const deliveries = webhookHref(namespace, 'deliveries');
  return {
    kind: 'page',
    view: '/webhook/delivery',
    title: `Delivery of ${data.key}`,
    trail: [...webhookTrail(namespace), { label: 'Deliveries', href: deliveries }],
    section: 'webhook',
    data: {
      ...data,
      resend: { label: 'Resend', href: webhookHref(namespace, 'resend'), reason: resendReason },
    },
  };
}

interface DeliveryPageDeps {
  /** Of the page that explains failure codes. */
  readonly errorHelpUrl: string;
}

/** The last delivery of one job to an endpoint, with its payload: the same ZipJob always gives the same bytes. */
export function createDeliveryPage(deps: DeliveryPageDeps): readonly Route[] {
  return [
    {
      method: 'GET',
      path: `${WEBHOOK_PATH}/deliveries/:job`,
      needs: WEBHOOK_RIGHTS.delivery,
      handle: (request) => show(request, deps),
    },
  ];
}
