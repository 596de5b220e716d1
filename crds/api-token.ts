import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * An API token: `zj_`, 30 random base62 characters (178 bits), and the CRC-32 of those 30 as 6 base62 characters. The
 * checksum catches typing errors and strangers' tokens without a look-up, and lets secret scanners recognise a token.
 */
const PREFIX = 'zj_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^${PREFIX}([0-9A-Za-z]{${RANDOM_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);
const MASK_LENGTH = 4;

const base62 = (value: number, length: number): string => {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / ALPHABET.length))
    text = ALPHABET.charAt(rest % ALPHABET.length) + text;
  return text;
};

/** The checksum of a token's random part. */
export const tokenChecksum = (random: string): string => base62(crc32(random), CHECKSUM_LENGTH);

/** A new token; `pick` draws an index below its argument, evenly. */
export const generateToken = (pick: (below: number) => number = (below) => randomInt(below)): string => {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET.charAt(pick(ALPHABET.length))).join('');
  return `${PREFIX}${random}${tokenChecksum(random)}`;
};

/** True for text that has the shape of a token and the right checksum. */
export const isToken = (text: string): boolean => {
  const [, random, checksum] = SHAPE.exec(text) ?? [];
  return random !== undefined && checksum === tokenChecksum(random);
};

/** First and last four characters: what may be shown of a token, and the key under which its candidates are found. */
export const maskToken = (token: string): string =>
  `${token.slice(0, MASK_LENGTH)}...${token.slice(-MASK_LENGTH)}`;

/** What a ZipToken stores (hex): the namespace is part of it, so that a copied hash opens nothing elsewhere. */
export const hashToken = (namespace: string, token: string): string =>
  createHash('sha256').update(`${namespace}/${token}`).digest('hex');
