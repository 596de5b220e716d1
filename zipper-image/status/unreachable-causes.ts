import { EgressRefusedError } from '#runtime/egress/egress-refused-error.ts';
import { errorCode } from '#runtime/errors.ts';
import { SEALED_BYTES, seal } from '#runtime/sealed-box.ts';

/** Why sources were unreachable. Users of the project may not learn that an address was refused, or why, so it is sealed. */
export interface UnreachableCauses {
  readonly see: (cause: unknown) => void;
  /** As long for every set of causes, and for none: the names of RefusalReason, or the codes of errors. */
  readonly sealed: (publicKey: string) => string;
}

const SEPARATOR = ' ';

const nameOf = (cause: unknown): string =>
  cause instanceof EgressRefusedError ? cause.reason : (errorCode(cause) ?? 'timeout');

export const createUnreachableCauses = (): UnreachableCauses => {
  const seen = new Set<string>();
  let bytes = 0;
  return {
    see: (cause) => {
      const name = nameOf(cause);
      const more = Buffer.byteLength(name) + SEPARATOR.length;
      if (seen.has(name) || bytes + more > SEALED_BYTES) return;
      seen.add(name);
      bytes += more;
    },
    sealed: (publicKey) => seal(publicKey, [...seen].join(SEPARATOR)),
  };
};
