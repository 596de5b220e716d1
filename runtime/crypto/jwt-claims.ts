import { isRecord } from '../kube/client/decode.ts';

/** The claims of a JSON Web Token, whose signature is not verified. Empty for any other text. */
export function claimsOf(token: string): Readonly<Record<string, unknown>> {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    return isRecord(claims) ? claims : {};
  } catch {
    return {};
  }
}
