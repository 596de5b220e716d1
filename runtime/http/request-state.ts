import type { DefaultContextExtends, Middleware, ParameterizedContext } from 'koa';

/** State of a request that every server process keeps. */
export interface RequestState {
  requestId: string;
  /** Template of the matched route; absent for unknown paths. */
  route?: string;
}

export type RequestContext<S extends RequestState = RequestState> = ParameterizedContext<
  S,
  DefaultContextExtends
>;
export type RequestMiddleware<S extends RequestState = RequestState> = Middleware<S, DefaultContextExtends>;
