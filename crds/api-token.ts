import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * An API token: `zj_`, 30 random base62 characters (178 bits), and their CRC-32 as 6 base62 characters. The checksum
 * detects typing errors and foreign tokens without a lookup, and lets secret scanners recognise a token.
 */
const PREFIX = 'zj_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^${PREFIX}([0-9A-Za-z]{${RANDOM_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);
const MASK_LENGTH = 4;

function base62(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / ALPHABET.length))
    text = ALPHABET.charAt(rest % ALPHABET.length) + text;
  return text;
}

/** The checksum of a token's random part. */
export function tokenChecksum(random: string): string {
  return base62(crc32(random), CHECKSUM_LENGTH);
}

/** Generates a token. `pick` returns a uniformly distributed index below its argument. */
export function generateToken(pick: (below: number) => number = (below) => randomInt(below)): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET.charAt(pick(ALPHABET.length))).join('');
  return `${PREFIX}${random}${tokenChecksum(random)}`;
}

/** True for text with the format and the checksum of a token. */
export function isToken(text: string): boolean {
  const [, random, checksum] = SHAPE.exec(text) ?? [];
  return random !== undefined && checksum === tokenChecksum(random);
}

/** First and last four characters: the part that may be shown, and the index for finding candidates. */
export function maskToken(token: string): string {
  return `${token.slice(0, MASK_LENGTH)}...${token.slice(-MASK_LENGTH)}`;
}

/** The hash that a ZipToken stores (hex). It includes the namespace, so that a copied hash is not valid elsewhere. */
export function hashToken(namespace: string, token: string): string {
  return createHash('sha256').update(`${namespace}/${token}`).digest('hex');
}
