import type { Difference } from './differences.ts';

/** The bytes of a response, one per character. */
export interface GeneratedHead {
  readonly name: string;
  readonly bytes: string;
  /** Why our reader and the other client must not agree. */
  readonly differs: Difference | undefined;
}

/** Values by the reason for which the two may not agree about them. */
export type Values = Readonly<Partial<Record<Difference | 'same', readonly string[]>>>;

export const OK = 'HTTP/1.1 200 OK';
export const BODY = 'hello';
export const CHUNKS = '5\r\nhello\r\n0\r\n\r\n';

export function response(lines: readonly string[], body = BODY, end = '\r\n'): string {
  return `${lines.join(end)}${end}${end}${body}`;
}

export function generate(
  group: string,
  values: Values,
  bytes: (value: string) => string,
): readonly GeneratedHead[] {
  return Object.entries(values).flatMap(([reason, texts]) =>
    texts.map((value) => ({
      name: `${group} ${JSON.stringify(value)}`,
      bytes: bytes(value),
      differs: reason === 'same' ? undefined : (reason as Difference),
    })),
  );
}

/** A header of a response whose body has a length. */
export function generateField(name: string, values: Values): readonly GeneratedHead[] {
  return generate(name, values, (value) => response([OK, `${name}: ${value}`, 'Content-Length: 5']));
}

/** Each value with each white space around it. */
export function padded(
  values: readonly string[],
  before: readonly string[],
  behind: readonly string[],
): readonly string[] {
  return values.flatMap((value) =>
    before.flatMap((left) => behind.map((right) => `${left}${value}${right}`)),
  );
}
