/**
 * Text that only the owner of a key can read, although anyone may see the box. As in HPKE (RFC 9180): an ephemeral X25519 key,
 * HKDF-SHA-256, and AES-256-GCM with a nonce that is derived too, because each box has a key of its own.
 */
import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';

/** Every box has this many bytes of text, so that its length says nothing. */
export const SEALED_BYTES = 256;

const INFO = 'zipjobs.dev sealed box';
const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

function rawOf(key: KeyObject): Buffer {
  return Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');
}

function publicKeyOf(raw: Buffer): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: raw.toString('base64url') }, format: 'jwk' });
}

/** Key and nonce of one box, bound to both public keys. */
function secretsOf(shared: Buffer, ephemeral: Buffer, recipient: Buffer) {
  const salt = Buffer.concat([ephemeral, recipient]);
  const bytes = Buffer.from(hkdfSync('sha256', shared, salt, INFO, KEY_BYTES + NONCE_BYTES));
  return { key: bytes.subarray(0, KEY_BYTES), nonce: bytes.subarray(KEY_BYTES) };
}

/**
 * The box in base64url. Its length is the same for every text.
 * @param text without NUL, which is the padding
 * @throws RangeError for a text of more than SEALED_BYTES bytes
 */
export function seal(publicKey: string, text: string): string {
  const plain = Buffer.alloc(SEALED_BYTES);
  const bytes = Buffer.from(text);
  if (bytes.length > SEALED_BYTES) throw new RangeError(`a sealed text has at most ${SEALED_BYTES} bytes`);
  bytes.copy(plain);
  const recipient = Buffer.from(publicKey, 'base64url');
  const pair = generateKeyPairSync('x25519');
  const ephemeral = rawOf(pair.publicKey);
  const shared = diffieHellman({ privateKey: pair.privateKey, publicKey: publicKeyOf(recipient) });
  const { key, nonce } = secretsOf(shared, ephemeral, recipient);
  const cipher = createCipheriv(ALGORITHM, key, nonce);
  const sealed = [ephemeral, cipher.update(plain), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(sealed).toString('base64url');
}

export interface SealingKey {
  /** For `seal`, in base64url. */
  readonly publicKey: string;
  /** Undefined for a box that was not sealed for this key, or was changed. */
  readonly open: (box: string) => string | undefined;
}

/** A key that exists only in this process. */
export function createSealingKey(): SealingKey {
  const pair = generateKeyPairSync('x25519');
  const recipient = rawOf(pair.publicKey);
  return {
    publicKey: recipient.toString('base64url'),
    open: (box) => {
      const bytes = Buffer.from(box, 'base64url');
      if (bytes.length !== KEY_BYTES + SEALED_BYTES + TAG_BYTES) return undefined;
      const ephemeral = bytes.subarray(0, KEY_BYTES);
      try {
        const shared = diffieHellman({ privateKey: pair.privateKey, publicKey: publicKeyOf(ephemeral) });
        const { key, nonce } = secretsOf(shared, ephemeral, recipient);
        const decipher = createDecipheriv(ALGORITHM, key, nonce);
        decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
        const parts = [decipher.update(bytes.subarray(KEY_BYTES, -TAG_BYTES)), decipher.final()];
        const plain = Buffer.concat(parts);
        const end = plain.indexOf(0);
        return plain.toString('utf8', 0, end === -1 ? SEALED_BYTES : end);
      } catch {
        return undefined;
      }
    },
  };
}
