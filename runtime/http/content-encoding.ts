/** True for a `Content-Encoding` without any coding: absent, empty, or only `identity`. Codings are case-insensitive (RFC 9110, 8.4.1). */
export function isUnencoded(header = ''): boolean {
  return header.split(',').every((coding) => ['', 'identity'].includes(coding.trim().toLowerCase()));
}
