/**
 * Verifies a webhook. Reads the exact body from standard input: node verify-webhook.ts <body
 * Set WEBHOOK_SECRET to the secret of the project (whsec_...), and WEBHOOK_ID, WEBHOOK_TIMESTAMP and WEBHOOK_SIGNATURE to the headers.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { buffer } from 'node:stream/consumers';

interface Webhook {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  /** The received bytes, before any parsing. */
  readonly body: Buffer;
}

const TOLERANCE_SECONDS = 300;

/** @throws Error if the webhook must not be trusted */
function verify(secret: string, { id, timestamp, signature, body }: Webhook): void {
  const age = Date.now() / 1000 - Number(timestamp);
  if (!(Math.abs(age) <= TOLERANCE_SECONDS)) throw new Error('the timestamp is too old or too new');
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  const matches = signature.split(' ').some((one) => {
    const [version, value = ''] = one.split(',');
    const given = Buffer.from(value, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!matches) throw new Error('no signature matches');
}

const { WEBHOOK_SECRET = '', WEBHOOK_ID = '', WEBHOOK_TIMESTAMP = '', WEBHOOK_SIGNATURE = '' } = process.env;
verify(WEBHOOK_SECRET, {
  id: WEBHOOK_ID,
  timestamp: WEBHOOK_TIMESTAMP,
  signature: WEBHOOK_SIGNATURE,
  body: await buffer(process.stdin),
});
console.log('valid');
