/** Control characters: C0, DEL and C1. */
const CONTROL = /\p{Cc}/u;

/** Describes an invalid object key; undefined if it is valid. Dot segments are refused, because SDKs and proxies normalize them. */
export function keyProblem(key: string, maxBytes: number): string | undefined {
  if (!key.isWellFormed()) return 'is not valid Unicode: it contains an unpaired surrogate';
  if (Buffer.byteLength(key) > maxBytes) return `is longer than ${maxBytes} bytes of UTF-8`;
  if (CONTROL.test(key)) return 'must not contain control characters';
  if (key.split('/').some((segment) => segment === '.' || segment === '..'))
    return 'must not contain a "." or ".." segment';
  return undefined;
}
