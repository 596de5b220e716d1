import { PROJECT_NAME } from '#crds/api-group.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { Permission, ZipToken } from '#crds/zip-token.ts';
import type { Clock } from '#runtime/clock.ts';
import { withTimeLimit } from '#runtime/kube/time-limit.ts';
import { type ObjectClient, objectKey, type Reflector } from '#runtime/kube/types.ts';
import type { Logger } from '#runtime/log.ts';
import { invalidApiKey, serviceUnavailable } from '../api-error.ts';
import { isToken } from './token.ts';
import { candidateKey, findOpened, MASK_INDEX, opens } from './token-candidates.ts';

/** Who calls: a token and the project that it opens. */
export interface Principal {
  readonly namespace: string;
  readonly tokenName: string;
  readonly permissions: readonly Permission[];
  readonly project: ZipProject;
}

/**
 * @throws ApiError invalid_api_key, or service_unavailable when it cannot be told
 */
export type Authenticate = (token: string) => Promise<Principal>;

export interface AuthenticateDeps {
  readonly tokens: Reflector<ZipToken>;
  readonly projects: Reflector<ZipProject>;
  readonly tokenClient: Pick<ObjectClient<ZipToken>, 'get'>;
  readonly projectClient: Pick<ObjectClient<ZipProject>, 'get'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Age after which a yes is proved again by asking the API server. */
  readonly freshMs: number;
  /** Age up to which a yes counts while the API server cannot be asked. */
  readonly staleMs: number;
  /** Time limit of one proof. */
  readonly proofTimeoutMs: number;
}

interface Proof {
  readonly provenAt: number;
  readonly token: ZipToken;
  readonly project: ZipProject;
}

const principalOf = ({ token, project }: Proof): Principal => ({
  namespace: token.metadata.namespace,
  tokenName: token.metadata.name,
  permissions: token.spec.permissions,
  project,
});

/** A token that was deleted and made again under its name is another one. */
const proofKey = (token: ZipToken): string => `${objectKey(token)}/${token.metadata.uid ?? ''}`;

const isOpen = (project: ZipProject | undefined): project is ZipProject =>
  project !== undefined && project.metadata.deletionTimestamp === undefined;

/**
 * Tells whom a token belongs to. The watch-fed caches find the candidate; a yes is then proved by a live look at the
 * ZipToken and its ZipProject, at most once in `freshMs` for all requests with the token. So a deleted token ends with
 * the next request, whatever the watches do, and an API server that is away for a moment is not noticed.
 */
export const createAuthenticate = (deps: AuthenticateDeps): Authenticate => {
  const { tokens, projects, clock } = deps;
  /** By token and uid, oldest first. */
  const proofs = new Map<string, Proof>();
  const running = new Map<string, Promise<Proof | undefined>>();

  const forgetOld = (now: number): void => {
    for (const [key, { provenAt }] of proofs) {
      if (now - provenAt <= deps.staleMs) return;
      proofs.delete(key);
    }
  };

  /** Undefined when the API server says that the token or its project is no more. */
  const prove = async (candidate: ZipToken): Promise<Proof | undefined> => {
    const { namespace, name, uid } = candidate.metadata;
    const askedAt = clock.monotonicMs();
    const limit = { attempt: `proof of the token ${objectKey(candidate)}`, ms: deps.proofTimeoutMs };
    const [token, project] = await withTimeLimit(limit, (signal) =>
      Promise.all([
        deps.tokenClient.get(namespace, name, signal),
        deps.projectClient.get(namespace, PROJECT_NAME, signal),
      ]),
    );
    const key = proofKey(candidate);
    proofs.delete(key);
    if (token === undefined || token.metadata.uid !== uid || !isOpen(project)) return undefined;
    const proof = { provenAt: askedAt, token, project };
    forgetOld(askedAt);
    proofs.set(key, proof);
    return proof;
  };

  const lastYes = (candidate: ZipToken, error: unknown): Proof => {
    const last = proofs.get(proofKey(candidate));
    if (last === undefined || clock.monotonicMs() - last.provenAt > deps.staleMs)
      throw serviceUnavailable(error);
    deps.log.warn(
      { err: error, zipToken: objectKey(candidate) },
      'could not prove a token again; its last proof still counts',
    );
    return last;
  };

  const proveOnce = (candidate: ZipToken): Promise<Proof | undefined> => {
    const key = proofKey(candidate);
    const started = running.get(key);
    if (started !== undefined) return started;
    const proof = prove(candidate)
      .catch((error: unknown) => lastYes(candidate, error))
      .finally(() => running.delete(key));
    running.set(key, proof);
    return proof;
  };

  const proofOf = async (candidate: ZipToken): Promise<Proof | undefined> => {
    const last = proofs.get(proofKey(candidate));
    const fresh = last !== undefined && clock.monotonicMs() - last.provenAt <= deps.freshMs;
    return fresh ? last : await proveOnce(candidate);
  };

  return async (token) => {
    if (!isToken(token)) throw invalidApiKey();
    if (!tokens.hasSynced || !projects.hasSynced)
      throw serviceUnavailable(new Error('tokens and projects are not read yet'));
    const candidates = tokens
      .byIndex(MASK_INDEX, candidateKey(token))
      .filter(({ metadata }) => isOpen(projects.get(`${metadata.namespace}/${PROJECT_NAME}`)));
    const candidate = findOpened(candidates, token);
    const proof = candidate === undefined ? undefined : await proofOf(candidate);
    if (proof === undefined || !opens(proof.token, token)) throw invalidApiKey();
    return principalOf(proof);
  };
};
