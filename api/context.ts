import type { DefaultContextExtends, Middleware, ParameterizedContext } from 'koa';
import type { ApiError } from './api-error.ts';
import type { Principal } from './tokens/authenticate.ts';

/** What the middleware of one request tells each other. */
export interface ApiState {
  requestId: string;
  /** Template of the route that took the request; absent for unknown paths. */
  route?: string;
  principal?: Principal;
  /** The error that the answer tells. */
  error?: ApiError;
  /** The ZipJob that the request made. */
  zipJob?: string;
}

export type ApiContext = ParameterizedContext<ApiState, DefaultContextExtends>;
export type ApiMiddleware = Middleware<ApiState, DefaultContextExtends>;
