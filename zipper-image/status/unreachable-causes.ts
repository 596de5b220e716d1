import { SEALED_BYTES, seal } from '#runtime/crypto/sealed-box.ts';
import { EgressRefusedError } from '#runtime/egress/egress-refused-error.ts';
import { UnconnectedError } from '#runtime/egress/open-socket.ts';
import { errorCode } from '#runtime/errors.ts';

/** Why sources were unreachable. Users of the project may not learn that an address was refused, or why, so it is sealed. */
export interface UnreachableCauses {
  readonly see: (cause: unknown) => void;
  /**
   * As long for every set of causes, and for none: the names of RefusalReason, or the codes of errors. Of a host with several
   * addresses, why each failed, such as `IPv6-timeout`.
   */
  readonly sealed: (publicKey: string) => string;
}

const SEPARATOR = ' ';

function namesOf(cause: unknown): readonly string[] {
  if (cause instanceof EgressRefusedError) return [cause.reason];
  if (cause instanceof UnconnectedError && cause.failures.length > 1)
    return cause.failures.map(({ family, reason }) => `IPv${family}-${reason}`);
  return [errorCode(cause) ?? 'timeout'];
}

export function createUnreachableCauses(): UnreachableCauses {
  const seen = new Set<string>();
  let bytes = 0;
  return {
    see: (cause) => {
      for (const name of namesOf(cause)) {
        const more = Buffer.byteLength(name) + SEPARATOR.length;
        if (seen.has(name) || bytes + more > SEALED_BYTES) continue;
        seen.add(name);
        bytes += more;
      }
    },
    sealed: (publicKey) => seal(publicKey, [...seen].join(SEPARATOR)),
  };
}
