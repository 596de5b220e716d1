import { isRecord } from '#runtime/kube/decode.ts';

/** The JSON merge patch (RFC 7396) that turns one object into another; undefined if they are equal. Lists are values. */
export const mergePatchOf = (
  before: object,
  after: object,
): Readonly<Record<string, unknown>> | undefined => {
  const from: Readonly<Record<string, unknown>> = { ...before };
  const to: Readonly<Record<string, unknown>> = { ...after };
  const patch: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [old, wanted] = [from[name], to[name]];
    if (wanted === undefined) patch[name] = null;
    else if (isRecord(old) && isRecord(wanted)) {
      const inner = mergePatchOf(old, wanted);
      if (inner !== undefined) patch[name] = inner;
    } else if (JSON.stringify(old) !== JSON.stringify(wanted)) patch[name] = wanted;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
};
