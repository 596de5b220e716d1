import type { HistoryList, ListedHistoryJob } from '#administration/projects/history-interface.ts';
import { TERMINAL_PHASES } from '#crds/zip-job.ts';
import { isUuid } from '#crds/zip-job-facts.ts';
import { defined } from '#runtime/collections/optional.ts';
import { toError } from '#runtime/errors.ts';
import type { HistoryJob } from '#runtime/history/history-job.ts';
import type { ReadForwarded } from '#runtime/http/client-address.ts';
import { clientNetwork } from '#runtime/http/client-network.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { asUser, isBearerToken } from '#runtime/kube/client/user-client.ts';
import type { Logger } from '#runtime/log/log.ts';
import { takeQuota } from '#runtime/redis/quota.ts';
import type { CountRequest } from '#runtime/redis/request-counts.ts';
import type { DashboardConfig } from '../config.ts';
import type { DashboardContext } from '../http/context.ts';
import { isNavigation } from '../http/navigation.ts';
import { askAccess } from '../user/access.ts';
import type { TakePlace } from '../user/user-places.ts';
import { SEE_PROJECT } from '../user/visible-projects.ts';
import { HistoryApiError, toHistoryApiError } from './api-error.ts';
import { readHistory } from './history-away.ts';
import type { History } from './history-reader.ts';
import { readListQuery } from './list-query.ts';
import { projectUidOf } from './project-uid.ts';
import { READ_HISTORY } from './read-history.ts';

interface HistoryApiDeps {
  readonly history: History;
  /** A client without its own identity. */
  readonly kube: KubeClient;
  readonly count: CountRequest;
  readonly readForwarded: ReadForwarded;
  /** A place for a search, by client address: a token does not say who its user is. */
  readonly takeSearch: TakePlace;
  readonly config: Pick<DashboardConfig, 'dashboardHistoryRequestsPerMinute' | 'workTimeoutMs'>;
  readonly log: Pick<Logger, 'error'>;
}

/** For a database or an API server that does not respond. */
const RETRY_AFTER_SECONDS = 5;

type Params = Readonly<Record<string, string>>;

/** Responds to one request of a program. */
type HistoryHandler = (ctx: DashboardContext, params: Params) => Promise<void>;

export interface HistoryApi {
  readonly list: HistoryHandler;
  readonly one: HistoryHandler;
}

interface Allowed {
  readonly projectUid: string;
  readonly signal: AbortSignal;
}

/** A browser sends this header only for a script of ours, and we have none that does. So a session cookie never counts here. */
function tokenOf(ctx: DashboardContext): string {
  if (!isNavigation(ctx))
    throw new HistoryApiError('forbidden', 'Pages cannot read the history. Send the request from a program');
  const [scheme, token = '', ...rest] = ctx.get('Authorization').split(' ');
  if (scheme?.toLowerCase() === 'bearer' && rest.length === 0 && isBearerToken(token)) return token;
  throw new HistoryApiError('unauthorized', 'Send a Kubernetes token: Authorization: Bearer TOKEN');
}

/** Counted before the API server checks the token, as sign-ins are. Requests without a token do not count: any page can cause them. */
async function limitRequests(
  { count, readForwarded, config }: HistoryApiDeps,
  ctx: DashboardContext,
): Promise<void> {
  const quota = await takeQuota(count, {
    name: 'history',
    subject: clientNetwork(readForwarded(ctx.req).address),
    limit: config.dashboardHistoryRequestsPerMinute,
  });
  if (quota?.isExceeded !== true) return;
  ctx.set('Retry-After', String(quota.resetSeconds));
  throw new HistoryApiError(
    'rate_limited',
    `Too many requests from your address. Try again in ${quota.resetSeconds} seconds`,
  );
}

/** Asks the API server with the token of this request, and reads the project as this user. */
async function allowedProject(kube: KubeClient, namespace: string): Promise<string> {
  const verdicts = await Promise.all(
    [SEE_PROJECT, ...READ_HISTORY].map((question) => askAccess(kube, namespace, question)),
  );
  const refused = verdicts.find(({ allowed }) => !allowed);
  if (refused !== undefined) throw new HistoryApiError('forbidden', refused.reason);
  return projectUidOf({ user: { kube }, namespace });
}

function listedJob(job: HistoryJob): ListedHistoryJob[] {
  const phase = TERMINAL_PHASES.find((one) => one === job.phase);
  if (phase === undefined) return [];
  const { name, id, service, bucketName, key, reason, files, bytes, createdAt, finishedAt } = job;
  function orAbsent<T>(value: T | null): T | undefined {
    return value ?? undefined;
  }
  const shown = { project: job.namespace, name, id, service, bucketName, key, phase, reason, files, bytes };
  const known = defined({
    startedAt: orAbsent(job.startedAt),
    durationMs: orAbsent(job.durationMs),
    createdBy: orAbsent(job.createdBy),
    webhookState: orAbsent(job.webhookState),
    runAgainOf: orAbsent(job.runAgainOf),
  });
  return [{ ...shown, createdAt, finishedAt, ...known }];
}

/** The history as JSON for `Authorization: Bearer` with a Kubernetes token, with the access reviews of the pages. */
export function createHistoryApi(deps: HistoryApiDeps): HistoryApi {
  const { history, kube, config, log } = deps;
  function handler(
    read: (allowed: Allowed, ctx: DashboardContext, params: Params) => Promise<unknown>,
  ): HistoryHandler {
    return async (ctx, params) => {
      try {
        const user = asUser(kube, tokenOf(ctx), AbortSignal.timeout(config.workTimeoutMs));
        await limitRequests(deps, ctx);
        const projectUid = await allowedProject(user, params['project'] ?? '');
        ctx.body = await readHistory(config.workTimeoutMs, (signal) =>
          read({ projectUid, signal }, ctx, params),
        );
      } catch (thrown) {
        const error = toHistoryApiError(thrown);
        if (error.status >= 500)
          log.error({ err: toError(thrown), requestId: ctx.state.requestId }, 'history request failed');
        if (error.status === 503) ctx.set('Retry-After', String(RETRY_AFTER_SECONDS));
        if (error.status === 401) ctx.set('WWW-Authenticate', 'Bearer realm="zipjobs"');
        ctx.status = error.status;
        ctx.body = { error: { code: error.code, message: error.message } };
      }
    };
  }
  return {
    list: handler(async ({ projectUid, signal }, ctx) => {
      using _place = deps.takeSearch(clientNetwork(deps.readForwarded(ctx.req).address));
      const { filter, ...page } = readListQuery(projectUid, new URLSearchParams(ctx.search));
      const { jobs, next, searchedTo } = await history.listJobs(filter, { ...page, signal });
      return { jobs: jobs.flatMap(listedJob), ...defined({ next, searchedTo }) } satisfies HistoryList;
    }),
    one: handler(async ({ projectUid, signal }, _ctx, params) => {
      const id = params['job'] ?? '';
      const job = isUuid(id) ? await history.readJob({ projectUid, id }, signal) : undefined;
      if (job === undefined) throw new HistoryApiError('not_found', 'The history has no such job');
      return job;
    }),
  };
}
