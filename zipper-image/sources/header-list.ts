import type { HeaderValue } from './http-get.ts';

/** The elements of a list header, which may be sent as several headers (RFC 9110, 5.3). Some may be empty. */
export function elementsOf(value: HeaderValue): readonly string[] {
  return value === undefined
    ? []
    : [value].flat().flatMap((text) => text.split(',').map((element) => element.trim()));
}
