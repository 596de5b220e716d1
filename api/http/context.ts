import type { RequestContext, RequestMiddleware, RequestState } from '#runtime/http/request-state.ts';
import type { ApiError } from '../errors/api-error.ts';
import type { Principal } from '../tokens/authenticate.ts';

/** State that the middleware of one request share. */
export interface ApiState extends RequestState {
  principal?: Principal;
  /** The bytes of the body, until the route takes them. */
  body?: Buffer;
  /** The error in the response. */
  error?: ApiError;
  /** The ZipJob that the request created or read. */
  zipJob?: string;
  /** The job that the request created, unless an earlier one did. */
  createdJob?: { readonly id: string; readonly uid: string };
  /** How long the request waited because its token or project sent too many per second. */
  delayedMs?: number;
}

export type ApiContext = RequestContext<ApiState>;
export type ApiMiddleware = RequestMiddleware<ApiState>;

/** The project of an authenticated request. */
export function projectOf({ state }: Pick<ApiContext, 'state'>): string {
  return state.principal?.namespace ?? '';
}
