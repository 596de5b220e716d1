/**
 * The only reasons for which our reader and http.client of Python may not agree about a head: the rule or the attack that
 * forbids the other result. `parser`: the parser of undici, which has no lenient mode, refuses what other clients read (FD18).
 */
export interface Reason {
  readonly ours: 'read' | 'refused';
  readonly why: string;
  readonly parser?: true;
}

export const DIFFERENCES = {
  length: {
    ours: 'refused',
    why: 'RFC 9112, 6.3: an invalid Content-Length is an unrecoverable error, and the client MUST discard the response. A body until the end of the connection could be truncated.',
  },
  repeated: {
    ours: 'refused',
    why: 'RFC 9110, 8.6: a recipient of equal lengths MAY reject the message. Different lengths are how responses are smuggled.',
    parser: true,
  },
  blank: {
    ours: 'refused',
    why: 'RFC 9110, 5.5 allows a tab behind a value, but the parser does not.',
    parser: true,
  },
  tab: {
    ours: 'refused',
    why: 'RFC 9110, 5.5 allows a tab behind a value, but the parser then sees no chunks, and a truncated body would look whole.',
  },
  trailing: { ours: 'read', why: 'RFC 9110, 5.5: a value does not include the white space behind it.' },
  transfer: {
    ours: 'refused',
    why: 'RFC 9112, 6.3: with another final coding, the end of the connection is the only end, so a truncated body looks whole. 6.1: chunked MUST NOT be applied twice, and other codings would have to be removed.',
  },
  both: {
    ours: 'refused',
    why: 'RFC 9112, 6.3: both headers may be an attempt at response splitting, and ought to be handled as an error.',
  },
  chunk: {
    ours: 'refused',
    why: 'RFC 9112, 7.1: chunk-size is 1*HEXDIG, and a chunk-ext has a name. Readers that disagree about a size see different bodies.',
    parser: true,
  },
  lastChunk: {
    ours: 'refused',
    why: 'RFC 9112, 8: a chunked body is incomplete without the zero-sized chunk and the line that ends the trailers.',
  },
  part: {
    ours: 'refused',
    why: 'RFC 9110, 14.4: Content-Range says that these bytes are not the whole file.',
  },
  century: {
    ours: 'read',
    why: 'RFC 9110, 5.6.7: a two-digit year is in the past only if it appears to be more than 50 years in the future.',
  },
  year: { ours: 'read', why: 'RFC 5322, 3.3: a year is 1900 or later.' },
  date: { ours: 'read', why: 'RFC 9110, 5.6.7: HTTP-date is case-sensitive and has a fixed length.' },
  lines: {
    ours: 'refused',
    why: 'RFC 9112, 2.2: a recipient MAY, not must, accept a single LF.',
    parser: true,
  },
  folded: {
    ours: 'refused',
    why: 'RFC 9112, 5.2: a sender MUST NOT fold lines. A folded line hides a header from one reader and shows it to another.',
    parser: true,
  },
  name: {
    ours: 'refused',
    why: 'RFC 9112, 5.1: whitespace before the colon has led to response smuggling. A line without a name is no header.',
  },
  control: {
    ours: 'refused',
    why: 'RFC 9110, 5.5: CR, LF and NUL in values are dangerous: readers split them differently.',
  },
  status: {
    ours: 'refused',
    why: 'RFC 9112, 4: HTTP-version SP status-code SP, with one digit on each side of the dot.',
  },
  version: {
    ours: 'read',
    why: 'RFC 9110, 2.5: a higher version is read as the highest one that the recipient knows.',
  },
  emptyLine: {
    ours: 'read',
    why: 'RFC 9112, 2.2: robust recipients ignore an empty line before the first one.',
  },
  continue: {
    ours: 'refused',
    why: 'RFC 9110, 15.2: a client must read informational responses, but undici ends the connection after an unexpected one.',
    parser: true,
  },
  informational: {
    ours: 'read',
    why: 'RFC 9110, 15.2: a client MUST be able to parse informational responses before the final one.',
  },
} as const satisfies Readonly<Record<string, Reason>>;

export type Difference = keyof typeof DIFFERENCES;
