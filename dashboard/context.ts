import type { DefaultContextExtends, Middleware, ParameterizedContext } from 'koa';
import type { ApiState } from '#api/context.ts';
import type { Session } from './sessions/sessions.ts';

/** What the middleware of one request tells each other. */
export interface DashboardState extends ApiState {
  session?: Session;
  /** The sessions could not be read. */
  isStoreAway?: boolean;
  /** Fields of a posted form. */
  form?: URLSearchParams;
}

export type DashboardContext = ParameterizedContext<DashboardState, DefaultContextExtends>;
export type DashboardMiddleware = Middleware<DashboardState, DefaultContextExtends>;

/** The script asks for fragments with this header: nobody has clicked. */
const LIVE_HEADER = 'X-Live';
export const isLive = (ctx: DashboardContext): boolean => ctx.get(LIVE_HEADER) !== '';
