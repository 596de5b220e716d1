import { toError } from '#runtime/errors.ts';
import type { ReadForwarded } from '#runtime/http/client-address.ts';
import { clientNetwork } from '#runtime/http/client-network.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { asUser, bearerTokenIn } from '#runtime/kube/client/user-client.ts';
import type { Logger } from '#runtime/log/log.ts';
import { takeQuota } from '#runtime/redis/quota.ts';
import type { CountRequest } from '#runtime/redis/request-counts.ts';
import type { DashboardConfig } from '../config.ts';
import type { DashboardContext } from '../http/context.ts';
import { isNavigation } from '../http/navigation.ts';
import { askAccess, type Question } from '../user/access.ts';
import { SEE_PROJECT } from '../user/visible-projects.ts';
import { HistoryApiError, toHistoryApiError } from './api-error.ts';
import { projectUidOf } from './project-uid.ts';

export interface ProgramDeps {
  /** A client without its own identity. */
  readonly kube: KubeClient;
  readonly count: CountRequest;
  readonly readForwarded: ReadForwarded;
  readonly config: Pick<DashboardConfig, 'dashboardHistoryRequestsPerMinute' | 'workTimeoutMs'>;
  readonly log: Pick<Logger, 'error'>;
}

/** For a server that does not respond. */
const RETRY_AFTER_SECONDS = 5;

type Params = Readonly<Record<string, string>>;

/** Responds to one request of a program. */
export type ProgramHandler = (ctx: DashboardContext, params: Params) => Promise<void>;

/** A request whose user may read what it asks for. */
export interface AllowedRequest {
  readonly namespace: string;
  readonly projectUid: string;
  /** With the token of the user. */
  readonly user: KubeClient;
  readonly ctx: DashboardContext;
  readonly params: Params;
}

/** A browser sends this header only for a script of ours, and we have none that does. So a session cookie never counts here. */
function tokenOf(ctx: DashboardContext): string {
  if (!isNavigation(ctx))
    throw new HistoryApiError('forbidden', 'Pages cannot read this. Send the request from a program');
  const token = bearerTokenIn(ctx.get('Authorization'));
  if (token !== undefined) return token;
  throw new HistoryApiError('unauthorized', 'Send a Kubernetes token: Authorization: Bearer TOKEN');
}

/** Counted before the API server checks the token, as sign-ins are. Requests without a token do not count: any page can cause them. */
async function limitRequests(
  { count, readForwarded, config }: ProgramDeps,
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
async function allowedProject(
  kube: KubeClient,
  namespace: string,
  needs: readonly Question[],
): Promise<string> {
  const verdicts = await Promise.all(
    [SEE_PROJECT, ...needs].map((question) => askAccess(kube, namespace, question)),
  );
  const refused = verdicts.find(({ allowed }) => !allowed);
  if (refused !== undefined) throw new HistoryApiError('forbidden', refused.reason);
  return projectUidOf({ user: { kube }, namespace });
}

/** Responds with JSON to `Authorization: Bearer` with a Kubernetes token, after the access reviews of the pages. */
export function createProgramHandlers(deps: ProgramDeps) {
  const { kube, config, log } = deps;
  return (needs: readonly Question[], read: (request: AllowedRequest) => Promise<unknown>): ProgramHandler =>
    async (ctx, params) => {
      try {
        const user = asUser(kube, tokenOf(ctx), AbortSignal.timeout(config.workTimeoutMs));
        await limitRequests(deps, ctx);
        const namespace = params['project'] ?? '';
        const projectUid = await allowedProject(user, namespace, needs);
        ctx.body = await read({ namespace, projectUid, user, ctx, params });
      } catch (thrown) {
        const error = toHistoryApiError(thrown);
        if (error.status >= 500)
          log.error({ err: toError(thrown), requestId: ctx.state.requestId }, 'request of a program failed');
        if (error.status === 503) ctx.set('Retry-After', String(RETRY_AFTER_SECONDS));
        if (error.status === 401) ctx.set('WWW-Authenticate', 'Bearer realm="zipjobs"');
        ctx.status = error.status;
        ctx.body = { error: { code: error.code, message: error.message } };
      }
    };
}
