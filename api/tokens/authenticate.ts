import { projectKey } from '#crds/api-group.ts';
import { isToken } from '#crds/api-token.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { Permission, ZipToken } from '#crds/zip-token.ts';
import type { Reflector } from '#runtime/kube/types.ts';
import { invalidApiKey, serviceUnavailable } from '../api-error.ts';
import { candidateKey, findOpened, MASK_INDEX, opens } from './token-candidates.ts';
import { isOpenProject, type VerifyToken } from './verify-token.ts';

/** The caller: a token and its project. */
export interface Principal {
  readonly namespace: string;
  readonly tokenName: string;
  readonly permissions: readonly Permission[];
  readonly project: ZipProject;
}

/** @throws ApiError invalid_api_key, or service_unavailable if the token cannot be verified */
export type Authenticate = (token: string) => Promise<Principal>;

export interface AuthenticateDeps {
  readonly tokens: Pick<Reflector<ZipToken>, 'hasSynced' | 'byClusterIndex'>;
  readonly projects: Pick<Reflector<ZipProject>, 'hasSynced' | 'get'>;
  readonly verifyToken: VerifyToken;
}

/**
 * Resolves a token to its principal. The caches find the candidate and a live read verifies it, so a deleted token fails
 * with the next request even when a watch lags behind.
 */
export const createAuthenticate =
  ({ tokens, projects, verifyToken }: AuthenticateDeps): Authenticate =>
  async (token) => {
    if (!isToken(token)) throw invalidApiKey();
    if (!tokens.hasSynced || !projects.hasSynced)
      throw serviceUnavailable(new Error('tokens and projects are not loaded yet'));
    const candidates = tokens
      .byClusterIndex(MASK_INDEX, candidateKey(token))
      .filter(({ metadata }) => isOpenProject(projects.get(projectKey(metadata.namespace))));
    const candidate = findOpened(candidates, token);
    const verification = candidate === undefined ? undefined : await verifyToken(candidate);
    if (verification === undefined || !opens(verification.token, token)) throw invalidApiKey();
    const { metadata, spec } = verification.token;
    return {
      namespace: metadata.namespace,
      tokenName: metadata.name,
      permissions: spec.permissions,
      project: verification.project,
    };
  };
