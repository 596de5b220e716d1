/**
 * Verifies a webhook whose exact body is the standard input: node verify-webhook.ts <body
 * WEBHOOK_SECRET is the secret of the project (whsec_...); the other three are the headers of the same names.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { buffer } from 'node:stream/consumers';

interface Webhook {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  /** The bytes as they came, before any parsing. */
  readonly body: Buffer;
}

const TOLERANCE_SECONDS = 300;

/** @throws Error that says why it must not be trusted */
const verify = (secret: string, { id, timestamp, signature, body }: Webhook): void => {
  const age = Date.now() / 1000 - Number(timestamp);
  if (!(Math.abs(age) <= TOLERANCE_SECONDS)) throw new Error('the timestamp is too far off');
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  const fits = signature.split(' ').some((one) => {
    const [version, value = ''] = one.split(',');
    const given = Buffer.from(value, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!fits) throw new Error('no signature fits');
};

const { WEBHOOK_SECRET = '', WEBHOOK_ID = '', WEBHOOK_TIMESTAMP = '', WEBHOOK_SIGNATURE = '' } = process.env;
verify(WEBHOOK_SECRET, {
  id: WEBHOOK_ID,
  timestamp: WEBHOOK_TIMESTAMP,
  signature: WEBHOOK_SIGNATURE,
  body: await buffer(process.stdin),
});
console.log('valid');
