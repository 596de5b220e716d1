import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BUCKET_TOKEN_FILE } from '#crds/zipper-contract.ts';
import { claimsOf } from '#runtime/crypto/jwt-claims.ts';
import { toError } from '#runtime/errors.ts';
import { TaskError } from '../../status/task-error.ts';

/** Reads the mounted token. The kubelet replaces it long before it expires, so it is read for each use. @throws TaskError */
export async function readToken(dir: string): Promise<string> {
  try {
    return (await readFile(join(dir, BUCKET_TOKEN_FILE), 'utf8')).trim();
  } catch (error) {
    throw new TaskError(
      'Could not read the token for the security token service; use the same release for the controller and the zipper',
      { cause: toError(error) },
    );
  }
}

function audiencesOf(claim: unknown): readonly unknown[] {
  return [claim].flat();
}

/** A token for another service, such as the API server, must not leave the pod. @throws TaskError */
export function assertAudience(token: string, audience: string): void {
  const audiences = audiencesOf(claimsOf(token)['aud']);
  if (audiences.length === 1 && audiences[0] === audience) return;
  throw new TaskError(
    `Could not use the token for the security token service: its only audience must be ${JSON.stringify(audience)}`,
  );
}

/** A token of the pod is replaced before it expires, unless the kubelet is late or the pod was suspended. */
export function isExpiredToken(token: string, now: number): boolean {
  const { exp } = claimsOf(token);
  return typeof exp === 'number' && exp * 1000 <= now;
}

function textOf(claim: unknown): string {
  return audiencesOf(claim).map(String).join(', ').slice(0, 300);
}

/** What a token service checks in a token, without the token. Providers name an issuer without its scheme too. */
export function describeToken(token: string): string {
  const { aud, iss, sub } = claimsOf(token);
  return `The token has audience "${textOf(aud)}", issuer "${textOf(iss).replace('https://', '')}" and subject "${textOf(sub)}"`;
}
