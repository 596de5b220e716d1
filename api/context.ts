import type { DefaultContextExtends, Middleware, ParameterizedContext } from 'koa';
import type { ApiError } from './api-error.ts';
import type { Principal } from './tokens/authenticate.ts';

/** State that the middleware of one request share. */
export interface ApiState {
  requestId: string;
  /** Template of the matched route; absent for unknown paths. */
  route?: string;
  principal?: Principal;
  /** The error in the response. */
  error?: ApiError;
  /** The ZipJob that the request created or read. */
  zipJob?: string;
}

export type ApiContext = ParameterizedContext<ApiState, DefaultContextExtends>;
export type ApiMiddleware = Middleware<ApiState, DefaultContextExtends>;
