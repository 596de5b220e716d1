import { claimsOf } from '#runtime/crypto/jwt-claims.ts';
import { ConfigError } from '#runtime/errors.ts';
import type { KubeAccess } from '#runtime/kube/client/kube-access.ts';

/** Common audiences of API servers. CRD and chart refuse them too. */
const WELL_KNOWN = /^([a-z]+:\/\/)?kubernetes(\.default([.:/].*)?)?\/?$/;

/**
 * The audiences that the API server accepts. It writes all of them into a token that is requested without an audience, such as
 * the token of this pod. Its issuer is one by default.
 */
function audiencesOf(authorization: string): readonly string[] {
  const { aud, iss } = claimsOf(authorization.replace(/^Bearer /, ''));
  const own = [aud].flat().filter((one): one is string => typeof one === 'string');
  return own.length === 0 || typeof iss !== 'string' ? own : [...own, iss];
}

/**
 * A zipper sends a token with one of the allowed audiences to a security token service. If the API server accepted it, that
 * service could act as the zipper.
 * @throws ConfigError if the API server accepts one of them, or if its audiences are not known
 */
export async function refuseApiServerAudiences(
  allowed: readonly string[],
  access: Pick<KubeAccess, 'credentials'>,
): Promise<void> {
  if (allowed.length === 0) return;
  const { headers } = await access.credentials();
  const accepted = audiencesOf(headers['authorization'] ?? '');
  if (accepted.length === 0)
    throw new ConfigError(
      'STORE_TOKEN_AUDIENCES: the audiences of the API server are not known, because the token of this process names none. Run it with a projected service account token, or empty store.webIdentity.audiences',
    );
  const refused = allowed.filter((audience) => accepted.includes(audience) || WELL_KNOWN.test(audience));
  if (refused.length > 0)
    throw new ConfigError(
      `STORE_TOKEN_AUDIENCES: the API server accepts tokens with the audience ${refused.join(', ')}. Remove it from store.webIdentity.audiences`,
    );
}
