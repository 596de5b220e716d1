import { timingSafeEqual } from 'node:crypto';
import { projectKey } from '#crds/api-group.ts';
import { hashToken, isToken, maskToken } from '#crds/api-token.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { Permission, ZipToken } from '#crds/zip-token.ts';
import type { Reflector } from '#runtime/kube/types.ts';
import { invalidApiKey, serviceUnavailable } from '../errors/api-error.ts';
import type { AcceptedTokens } from './accepted-tokens.ts';
import { isOpenProject, type VerifyToken } from './verify-token.ts';

function equal(left: string, right: string): boolean {
  const a = Buffer.from(left, 'utf8');
  const b = Buffer.from(right, 'utf8');
  return a.length === b.length && timingSafeEqual(a, b);
}

/** True if the ZipToken contains the hash of the token for its namespace and is not being deleted. */
function opens(zipToken: ZipToken, token: string): boolean {
  return (
    zipToken.metadata.deletionTimestamp === undefined &&
    equal(zipToken.spec.sha256, hashToken(zipToken.metadata.namespace, token))
  );
}

/** The first matching candidate. Every candidate is compared, so that the timing reveals nothing. */
function findOpened(candidates: readonly ZipToken[], token: string): ZipToken | undefined {
  return candidates.filter((candidate) => opens(candidate, token))[0];
}

/** The caller: a token and its project. */
export interface Principal {
  readonly namespace: string;
  readonly tokenName: string;
  /** First and last characters of the token. */
  readonly mask: string;
  readonly permissions: readonly Permission[];
  readonly project: ZipProject;
}

/** The limit of a client for tokens with the mask of a real one, which must be hashed. */
export interface Guesses {
  /** @throws ApiError rate_limit_exceeded */
  assertAllowed(mask: string): void;
  /** Counts a token that is not a real one. */
  failed(mask: string): void;
}

/** @throws ApiError invalid_api_key, rate_limit_exceeded, or service_unavailable if the token cannot be verified */
export type Authenticate = (token: string, guesses: Guesses) => Promise<Principal>;

export interface AuthenticateDeps {
  readonly tokens: Pick<Reflector<ZipToken>, 'hasSynced' | 'isInterrupted' | 'get'>;
  readonly accepted: Pick<AcceptedTokens, 'candidates'>;
  readonly projects: Pick<Reflector<ZipProject>, 'hasSynced' | 'isInterrupted' | 'get'>;
  readonly verifyToken: VerifyToken;
}

/**
 * Resolves a token to its principal. The caches find the candidate and a live read verifies it, so a deleted token fails
 * with the next request even when a watch lags behind.
 */
export function createAuthenticate({
  tokens,
  accepted,
  projects,
  verifyToken,
}: AuthenticateDeps): Authenticate {
  return async (token, guesses) => {
    function unknown(): Error {
      return tokens.isInterrupted || projects.isInterrupted
        ? serviceUnavailable(new Error('a new token or project may be unknown while a watch is interrupted'))
        : invalidApiKey();
    }
    if (!isToken(token)) throw invalidApiKey();
    if (!tokens.hasSynced || !projects.hasSynced)
      throw serviceUnavailable(new Error('tokens and projects are not loaded yet'));
    const mask = maskToken(token);
    const candidates = accepted
      .candidates(mask, (namespace) => isOpenProject(projects.get(projectKey(namespace))))
      .flatMap((key) => tokens.get(key) ?? []);
    if (candidates.length === 0) throw unknown();
    guesses.assertAllowed(mask);
    const candidate = findOpened(candidates, token);
    if (candidate === undefined) {
      guesses.failed(mask);
      throw invalidApiKey();
    }
    const verification = await verifyToken(candidate);
    if (verification === undefined || !opens(verification.token, token)) throw invalidApiKey();
    const { metadata, spec } = verification.token;
    return {
      namespace: metadata.namespace,
      tokenName: metadata.name,
      mask,
      permissions: spec.permissions,
      project: verification.project,
    };
  };
}
