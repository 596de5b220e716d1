import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';
const MIN_KEY_BYTES = 24;
const MAX_KEY_BYTES = 64;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The key in `whsec_<base64>`; undefined for any other text. */
export function parseSigningSecret(text: string): Buffer | undefined {
  const trimmed = text.trim();
  const encoded = trimmed.slice(PREFIX.length);
  if (!trimmed.startsWith(PREFIX) || !BASE64.test(encoded)) return undefined;
  const key = Buffer.from(encoded, 'base64');
  return key.length >= MIN_KEY_BYTES && key.length <= MAX_KEY_BYTES ? key : undefined;
}

export interface ToSign {
  readonly id: string;
  /** Unix seconds of this attempt. */
  readonly timestamp: number;
  /** The exact bytes that are sent. */
  readonly body: string;
}

/** The `webhook-signature` header of Standard Webhooks: one signature for each key, so that keys can be rotated. */
export function signatureHeader({ id, timestamp, body }: ToSign, keys: readonly Buffer[]): string {
  return keys
    .map((key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`)
    .join(' ');
}
