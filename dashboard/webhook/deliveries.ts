import { toWebhooks } from '#administration/webhooks/webhook-view.ts';
import type { PageRequest, Route, ShownFragment, ShownPage } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { projectOf } from '../projects/project-of.ts';
import { FORMAT } from '../ui/format.ts';
import { reasonAgainst, refusalOf } from '../user/reason-against.ts';
import { type DeliveryLog, type DeliverySource, deliveryLog } from './delivery-log.ts';
import {
  deliveriesHref,
  deliveryChips,
  EVENT_OPTIONS,
  endpointNames,
  endpointOptions,
  RESULT_OPTIONS,
  readDeliveryQuery,
  readPage,
  writeDeliveryQuery,
} from './delivery-query.ts';
import { webhookHead } from './webhook-head.ts';
import { WEBHOOK_PATH, webhookHref } from './webhook-paths.ts';
import { WEBHOOK_RIGHTS } from './webhook-rights.ts';

type Deps = Pick<PageDeps, 'caches' | 'jobs'>;

const NOTHING: DeliveryLog = { rows: [], page: 1, pages: 1, first: 1, total: 0, failed: 0, isEmpty: true };

/** Recent deliveries with the filters of the query; they stay live. */
async function deliveriesOf(source: DeliverySource, request: PageRequest) {
  const { namespace } = request;
  const endpoints = endpointNames(projectOf(source.caches.zipProjects, namespace).project);
  const query = readDeliveryQuery(request.query, endpoints);
  const [reason, resendReason] = await Promise.all([
    // Deliveries come from a cache, which knows no permissions.
    refusalOf(request, WEBHOOK_RIGHTS.log),
    reasonAgainst(request, WEBHOOK_RIGHTS.resend),
  ]);
  const log =
    reason === '' ? deliveryLog(source, { namespace, query, page: readPage(request.query) }) : NOTHING;
  const { page, pages } = log;
  return {
    reason,
    log,
    paging: { page, pages, href: (to: number) => deliveriesHref(namespace, query, to) },
    query,
    href: webhookHref(namespace, 'deliveries'),
    filterForm: { values: { ...query }, errors: {} },
    results: RESULT_OPTIONS,
    eventTypes: EVENT_OPTIONS,
    endpoints: endpointOptions(endpoints),
    filters: deliveryChips(namespace, query),
    canResend: resendReason === '',
    resendHref: webhookHref(namespace, 'resend'),
    resendFailedHref: webhookHref(namespace, 'resend') + writeDeliveryQuery({ ...query, result: '' }),
    liveDeliveries:
      FORMAT.path('projects', namespace, 'live', 'webhook', 'deliveries') + writeDeliveryQuery(query, page),
  };
}

async function show(deps: Deps, request: PageRequest): Promise<ShownPage> {
  const { project } = projectOf(deps.caches.zipProjects, request.namespace);
  const [head, deliveries] = await Promise.all([
    webhookHead(request, toWebhooks(project), 'deliveries'),
    deliveriesOf(deps, request),
  ]);
  const data = { head, ...deliveries };
  return { kind: 'page', view: '/webhook/deliveries', title: 'Deliveries', section: 'webhook', data };
}

async function fragment(deps: Deps, request: PageRequest): Promise<ShownFragment> {
  return { kind: 'fragment', view: '/webhook/webhook-deliveries', data: await deliveriesOf(deps, request) };
}

/** The last webhook delivery of each job. */
export function createDeliveriesPage(deps: Deps): readonly Route[] {
  return [
    { method: 'GET', path: `${WEBHOOK_PATH}/deliveries`, handle: (request) => show(deps, request) },
    {
      method: 'GET',
      path: '/projects/:project/live/webhook/deliveries',
      handle: (request) => fragment(deps, request),
    },
  ];
}
