/** Control characters: C0, DEL and C1. */
const CONTROL = /\p{Cc}/u;

/** Why the text cannot be an object key; undefined when it can. SDKs and proxies normalise dot segments, so they are refused. */
export const keyProblem = (key: string, maxBytes: number): string | undefined => {
  if (!key.isWellFormed()) return 'key is not valid Unicode: it has half of a surrogate pair.';
  if (Buffer.byteLength(key) > maxBytes) return `key is longer than ${maxBytes} bytes of UTF-8.`;
  if (CONTROL.test(key)) return 'key has a control character.';
  if (key.split('/').some((segment) => segment === '.' || segment === '..'))
    return 'key has a "." or ".." segment.';
  return undefined;
};
