import { PROJECT_NAME } from '#crds/api-group.ts';
import { uidOf } from '#crds/object-meta.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { ZipToken } from '#crds/zip-token.ts';
import { withTimeLimit } from '#runtime/kube/client/time-limit.ts';
import { type ObjectClient, objectKey } from '#runtime/kube/types.ts';
import type { Logger } from '#runtime/log/log.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { serviceUnavailable } from '../errors/api-error.ts';

/** A verification that a token and its project existed at a given time. */
export interface Verification {
  /** Monotonic time of the request to the API server. */
  readonly verifiedAt: number;
  readonly token: ZipToken;
  readonly project: ZipProject;
}

export interface TokenVerificationDeps {
  readonly tokenClient: Pick<ObjectClient<ZipToken>, 'get'>;
  readonly projectClient: Pick<ObjectClient<ZipProject>, 'get'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Age after which a token is verified again. */
  readonly freshMs: number;
  /** Age up to which a verification is accepted while the API server is unavailable. */
  readonly staleMs: number;
  /** Time limit of one verification. */
  readonly verificationTimeoutMs: number;
}

/**
 * Undefined if the token or its project no longer exists.
 * @throws ApiError service_unavailable if the API server does not respond and the last verification is too old
 */
export type VerifyToken = (candidate: ZipToken) => Promise<Verification | undefined>;

/** Includes the uid, because a deleted token may be created again under the same name. */
function verificationKey(token: ZipToken): string {
  return `${objectKey(token)}/${uidOf(token)}`;
}

/** True for a project that exists and is not being deleted. */
export function isOpenProject(project: ZipProject | undefined): project is ZipProject {
  return project !== undefined && project.metadata.deletionTimestamp === undefined;
}

function askFor({
  tokenClient,
  projectClient,
  clock,
  verificationTimeoutMs,
}: TokenVerificationDeps): VerifyToken {
  return async (candidate) => {
    const { namespace, name, uid } = candidate.metadata;
    const verifiedAt = clock.monotonicMs();
    const limit = { attempt: `verification of token ${objectKey(candidate)}`, ms: verificationTimeoutMs };
    const [token, project] = await withTimeLimit(limit, (signal) =>
      Promise.all([
        tokenClient.get(namespace, name, signal),
        projectClient.get(namespace, PROJECT_NAME, signal),
      ]),
    );
    if (token === undefined || token.metadata.uid !== uid || !isOpenProject(project)) return undefined;
    return { verifiedAt, token, project };
  };
}

/**
 * Verifies a token and its project with the API server, at most once per `freshMs` for all requests with the token and without
 * concurrent calls. While the API server does not respond, the last verification is accepted for `staleMs`.
 */
export function createVerifyToken(deps: TokenVerificationDeps): VerifyToken {
  const { clock, log, freshMs, staleMs } = deps;
  const ask = askFor(deps);
  /** By token and uid, oldest first. */
  const verifications = new Map<string, Verification>();
  const running = new Map<string, Promise<Verification | undefined>>();

  function ageOf(verification: Verification): number {
    return clock.monotonicMs() - verification.verifiedAt;
  }

  function keep(key: string, verification: Verification | undefined): void {
    verifications.delete(key);
    for (const [oldKey, old] of verifications) {
      if (ageOf(old) <= staleMs) break;
      verifications.delete(oldKey);
    }
    if (verification !== undefined) verifications.set(key, verification);
  }

  function lastVerification(key: string, error: unknown): Verification {
    const last = verifications.get(key);
    if (last === undefined || ageOf(last) > staleMs) throw serviceUnavailable(error);
    log.warn({ err: error, zipToken: key }, 'could not verify a token again; using its last verification');
    return last;
  }

  async function askAndKeep(candidate: ZipToken, key: string): Promise<Verification | undefined> {
    try {
      const verification = await ask(candidate);
      keep(key, verification);
      return verification;
    } catch (error) {
      return lastVerification(key, error);
    } finally {
      running.delete(key);
    }
  }

  return async (candidate) => {
    const key = verificationKey(candidate);
    const last = verifications.get(key);
    if (last !== undefined && ageOf(last) <= freshMs) return last;
    const asking = running.get(key) ?? askAndKeep(candidate, key);
    running.set(key, asking);
    return asking;
  };
}
