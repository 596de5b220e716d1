import { isRecord } from '#runtime/kube/decode.ts';

/** Undefined: nothing changes. */
function changeOf(before: unknown, after: unknown): unknown {
  if (after === undefined) return before === undefined ? undefined : null;
  if (isRecord(before) && isRecord(after)) return mergePatchOf(before, after);
  return JSON.stringify(before) === JSON.stringify(after) ? undefined : after;
}

/** The JSON merge patch (RFC 7396) that turns one object into another; undefined if they are equal. Lists are values. */
export function mergePatchOf(before: object, after: object): Readonly<Record<string, unknown>> | undefined {
  const from = new Map<string, unknown>(Object.entries(before));
  const to = new Map<string, unknown>(Object.entries(after));
  const changes = [...new Set([...from.keys(), ...to.keys()])]
    .map((name) => [name, changeOf(from.get(name), to.get(name))] as const)
    .filter(([, change]) => change !== undefined);
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}
