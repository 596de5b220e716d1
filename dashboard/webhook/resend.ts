import { AdministrationError } from '#administration/errors/administration-error.ts';
import { resendFailure } from '#administration/webhooks/resend-failure.ts';
import { toWebhook } from '#administration/webhooks/webhook-view.ts';
import { DEFAULT_ENDPOINT, findEndpoint } from '#crds/webhook-endpoints.ts';
import type { WebhookState } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import {
  type GoTo,
  PageError,
  type PageRequest,
  type PageResponse,
  type Route,
  type ShownPage,
} from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { outcomeOfEach } from '../jobs/bulk/bulk-plan.ts';
import { projectOf } from '../projects/project-of.ts';
import { FORMAT } from '../ui/format.ts';
import { type DeliveryRow, deliveryLog } from './delivery-log.ts';
import { type DeliveryQuery, deliveriesHref, endpointNames, readDeliveryQuery } from './delivery-query.ts';
import { deliveryOfId, endpointHref, WEBHOOK_PATH, webhookHref, webhookTrail } from './webhook-paths.ts';
import { WEBHOOK_RIGHTS } from './webhook-rights.ts';

type Deps = Pick<PageDeps, 'caches' | 'jobs' | 'config'>;

const TITLE = 'Resend failed deliveries';
const PATH = `${WEBHOOK_PATH}/resend`;
/** The controller usually needs less; a later delivery appears on the live page. */
const LIMIT_MS = 5_000;

/** The outcome of a request to resend one delivery. */
interface Outcome {
  readonly id: string;
  readonly isRequested: boolean;
  readonly text: string;
}

function filtersOf({ caches }: Deps, namespace: string, query: URLSearchParams): DeliveryQuery {
  return readDeliveryQuery(query, endpointNames(projectOf(caches.zipProjects, namespace).project));
}

/** The endpoints of these deliveries that are disabled after failures. */
function disabledOf(project: ZipProject, rows: readonly DeliveryRow[]) {
  const names = [...new Set(rows.map(({ endpoint }) => endpoint))];
  return names
    .map((name) => ({ name, endpoint: name || DEFAULT_ENDPOINT }))
    .filter(({ endpoint }) => toWebhook(project, endpoint).endpoint?.state === 'Disabled')
    .map(({ name, endpoint }) => ({ name, href: endpointHref(project.metadata.namespace, endpoint) }));
}

async function showFailed(deps: Deps, request: PageRequest): Promise<ShownPage> {
  const { namespace } = request;
  const filters = filtersOf(deps, namespace, request.query);
  const query: DeliveryQuery = { ...filters, result: 'failed' };
  const { rows, total } = deliveryLog(deps, { namespace, query, most: deps.config.dashboardBulkJobsMax });
  const { project } = projectOf(deps.caches.zipProjects, namespace);
  return {
    kind: 'page',
    view: '/webhook/resend',
    title: TITLE,
    trail: webhookTrail(namespace),
    section: 'webhook',
    data: {
      rows,
      total,
      filters,
      href: webhookHref(namespace, 'resend'),
      disabled: disabledOf(project, rows),
      back: deliveriesHref(namespace, filters),
    },
  };
}

function requestEach(
  { user, namespace, signal }: PageRequest,
  ids: readonly string[],
): Promise<readonly Outcome[]> {
  function refused(id: string, text: string): Outcome {
    return { id, isRequested: false, text };
  }
  async function request(id: string): Promise<Outcome> {
    if (signal.aborted) return refused(id, 'Not requested in time. Try again.');
    const { job, endpoint } = deliveryOfId(id);
    await user.administration.jobs(namespace, { namesOnly: true }).beginReplayWebhook(job, signal, endpoint);
    return { id, isRequested: true, text: 'Requested' };
  }
  return outcomeOfEach(ids, request, (id, { message }) => refused(id, message));
}

async function resendOne(request: PageRequest, id: string, to: string): Promise<GoTo> {
  const { user, namespace } = request;
  function flash(kind: 'done' | 'failed', text: string): GoTo {
    return { kind: 'go', to, flash: { kind, text } };
  }
  try {
    const { job, endpoint } = deliveryOfId(id);
    const { webhook, key } = await user.administration
      .jobs(namespace, { namesOnly: true })
      .replayWebhook(job, { limitMs: LIMIT_MS }, endpoint);
    const delivery = findEndpoint<WebhookState>(webhook ?? undefined, endpoint);
    return delivery?.state === 'Delivered'
      ? flash('done', `Webhook of ${key} delivered`)
      : flash('failed', `Webhook of ${key} ${resendFailure(delivery)}`);
  } catch (error) {
    if (!(error instanceof AdministrationError) || error.code === 'Unauthorized') throw error;
    return flash('failed', error.message);
  }
}

async function post(deps: Deps, request: PageRequest): Promise<PageResponse> {
  const { caches, config } = deps;
  const { form, namespace } = request;
  const back = deliveriesHref(namespace, filtersOf(deps, namespace, form));
  const limit = config.dashboardBulkJobsMax;
  const ids = [...new Set(form.getAll('job'))].filter((id) => id !== '');
  if (ids.length > limit)
    throw new PageError(422, 'Too many jobs', `Resend at most ${FORMAT.count(limit, 'webhook')} at a time.`);
  const [first, ...more] = ids;
  if (first === undefined)
    return { kind: 'go', to: back, flash: { kind: 'failed', text: 'No failed deliveries to resend' } };
  if (more.length === 0) return resendOne(request, first, back);
  const outcomes = await requestEach(request, ids);
  return {
    kind: 'page',
    view: '/webhook/resent',
    title: TITLE,
    trail: webhookTrail(namespace),
    section: 'webhook',
    data: {
      requested: outcomes.filter(({ isRequested }) => isRequested).length,
      outcomes: outcomes.map((outcome) => {
        const { job } = deliveryOfId(outcome.id);
        return { ...outcome, key: caches.zipJobs.get(`${namespace}/${job}`)?.spec.key ?? job };
      }),
      back,
    },
  };
}

/** Resends the webhooks of jobs: of one, with its result, or of all that failed, with the outcome of each request. */
export function createResendPage(deps: Deps): readonly Route[] {
  return [
    {
      method: 'GET',
      path: PATH,
      needs: WEBHOOK_RIGHTS.resend,
      handle: (request) => showFailed(deps, request),
    },
    { method: 'POST', path: PATH, needs: WEBHOOK_RIGHTS.resend, handle: (request) => post(deps, request) },
  ];
}
