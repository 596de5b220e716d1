import { AdministrationError } from '#administration/errors/administration-error.ts';
import { toWebhook } from '#administration/webhooks/webhook-view.ts';
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
import { deliveryLog } from './delivery-log.ts';
import { deliveriesHref, readDeliveryQuery } from './delivery-query.ts';
import { WEBHOOK_PATH, webhookHref, webhookTrail } from './webhook-paths.ts';
import { WEBHOOK_RIGHTS } from './webhook-rights.ts';

type Deps = Pick<PageDeps, 'caches' | 'jobs' | 'config'>;

const TITLE = 'Resend failed deliveries';
const PATH = `${WEBHOOK_PATH}/resend`;
/** The controller usually needs less; a later delivery appears on the live page. */
const LIMIT_MS = 5_000;

/** The outcome of a request to resend the webhook of one job. */
interface Outcome {
  readonly name: string;
  readonly isRequested: boolean;
  readonly text: string;
}

function failedOf(deps: Deps, { namespace, query }: PageRequest) {
  return deliveryLog(deps, {
    namespace,
    query: { ...readDeliveryQuery(query), result: 'failed' },
    most: deps.config.dashboardBulkJobsMax,
  });
}

async function showFailed(deps: Deps, request: PageRequest): Promise<ShownPage> {
  const { namespace, query } = request;
  const { rows, total } = failedOf(deps, request);
  const filters = readDeliveryQuery(query);
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
      isDisabled: toWebhook(project).endpoint?.state === 'Disabled',
      webhook: webhookHref(namespace),
      back: deliveriesHref(namespace, filters),
    },
  };
}

function requestEach(
  { user, namespace, signal }: PageRequest,
  names: readonly string[],
): Promise<readonly Outcome[]> {
  function refused(name: string, text: string): Outcome {
    return { name, isRequested: false, text };
  }
  async function request(name: string): Promise<Outcome> {
    if (signal.aborted) return refused(name, 'Not requested in time. Try again.');
    await user.administration.jobs(namespace, { namesOnly: true }).beginReplayWebhook(name, signal);
    return { name, isRequested: true, text: 'Requested' };
  }
  return outcomeOfEach(names, request, (name, { message }) => refused(name, message));
}

async function resendOne(request: PageRequest, name: string, to: string): Promise<GoTo> {
  const { user, namespace } = request;
  function flash(kind: 'done' | 'failed', text: string): GoTo {
    return { kind: 'go', to, flash: { kind, text } };
  }
  try {
    const { webhook, key } = await user.administration
      .jobs(namespace, { namesOnly: true })
      .replayWebhook(name, { limitMs: LIMIT_MS });
    return webhook?.state === 'Delivered'
      ? flash('done', `Webhook of ${key} delivered`)
      : flash('failed', `Webhook of ${key} sent, but the receiver did not accept it`);
  } catch (error) {
    if (!(error instanceof AdministrationError) || error.code === 'Unauthorized') throw error;
    return flash('failed', error.message);
  }
}

async function post({ caches, config }: Deps, request: PageRequest): Promise<PageResponse> {
  const { form, namespace } = request;
  const back = deliveriesHref(namespace, readDeliveryQuery(form));
  const limit = config.dashboardBulkJobsMax;
  const names = [...new Set(form.getAll('job'))].filter((name) => name !== '');
  if (names.length > limit)
    throw new PageError(422, 'Too many jobs', `Resend at most ${FORMAT.count(limit, 'webhook')} at a time.`);
  const [first, ...more] = names;
  if (first === undefined)
    return { kind: 'go', to: back, flash: { kind: 'failed', text: 'No failed deliveries to resend' } };
  if (more.length === 0) return resendOne(request, first, back);
  const outcomes = await requestEach(request, names);
  return {
    kind: 'page',
    view: '/webhook/resent',
    title: TITLE,
    trail: webhookTrail(namespace),
    section: 'webhook',
    data: {
      requested: outcomes.filter(({ isRequested }) => isRequested).length,
      outcomes: outcomes.map((outcome) => ({
        ...outcome,
        key: caches.zipJobs.get(`${namespace}/${outcome.name}`)?.spec.key ?? outcome.name,
      })),
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
