import type { IncomingMessage } from 'node:http';
import type { Permission } from '#crds/zip-token.ts';
import {
  ApiError,
  authenticationRequired,
  insufficientPermissions,
  invalidApiKey,
} from '../errors/api-error.ts';
import type { Authenticate, Principal } from '../tokens/authenticate.ts';
import type { NoteUse } from '../tokens/last-used.ts';
import type { ApiContext, ApiMiddleware } from './context.ts';
import type { RateLimit } from './rate-limit.ts';

const MAX_HEADER_LENGTH = 1024;
const BEARER = /^bearer ([A-Za-z0-9_]+)$/i;

/** Every Authorization header; Node.js keeps only the first of several in `headers`. */
function authorizationHeaders({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): string[] {
  return rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'authorization',
  );
}

/** @throws ApiError authentication_required without a header, invalid_api_key for anything but one bearer token */
function bearerToken(request: Pick<IncomingMessage, 'rawHeaders'>): string {
  const [header, ...more] = authorizationHeaders(request);
  if (header === undefined) throw authenticationRequired();
  const token = header.length > MAX_HEADER_LENGTH ? undefined : BEARER.exec(header)?.[1];
  if (token === undefined || more.length > 0) throw invalidApiKey();
  return token;
}

export interface AuthenticationDeps {
  readonly authenticate: Authenticate;
  readonly noteUse: NoteUse;
  readonly rateLimit: RateLimit;
  /** Counts the outcome. */
  readonly onOutcome: (outcome: 'accepted' | 'forbidden' | 'refused' | 'unknown') => void;
}

/** Requires a valid token with the permission, and stores its principal in the state. */
export function createAuthentication(deps: AuthenticationDeps) {
  return (permission: Permission): ApiMiddleware =>
    async (ctx, next): Promise<void> => {
      const principal = await identify(deps, ctx);
      ctx.state.principal = principal;
      await deps.rateLimit.take(ctx, principal);
      if (!principal.permissions.includes(permission)) {
        deps.onOutcome('forbidden');
        throw insufficientPermissions(permission);
      }
      deps.onOutcome('accepted');
      deps.noteUse(principal);
      await next();
    };
}

async function identify(deps: AuthenticationDeps, ctx: ApiContext): Promise<Principal> {
  try {
    return await deps.authenticate(bearerToken(ctx.req), deps.rateLimit.guesses(ctx));
  } catch (error) {
    const status = error instanceof ApiError ? error.status : 500;
    deps.onOutcome([401, 429].includes(status) ? 'refused' : 'unknown');
    if (status === 401) await deps.rateLimit.fail(ctx);
    throw error;
  }
}
