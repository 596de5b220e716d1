import type { RequestContext, RequestMiddleware, RequestState } from '#runtime/http/request-state.ts';
import type { Session } from './sessions/sessions.ts';

/** State that the middleware of one request shares. */
export interface DashboardState extends RequestState {
  session?: Session;
  /** The session store is not responding. */
  isStoreAway?: boolean;
  /** Fields of a posted form. */
  form?: URLSearchParams;
}

export type DashboardContext = RequestContext<DashboardState>;
export type DashboardMiddleware = RequestMiddleware<DashboardState>;

/** The script sends this header when it refreshes a fragment, so the request is not user activity. */
const LIVE_HEADER = 'X-Live';

export function isLive(ctx: DashboardContext): boolean {
  return ctx.get(LIVE_HEADER) !== '';
}
