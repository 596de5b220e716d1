import { createHash } from 'node:crypto';
import { isRecord } from '#runtime/kube/client/decode.ts';
import type { KubeObject, ObjectClient } from '#runtime/kube/types.ts';
import { AdministrationError, hasCode } from '../errors/administration-error.ts';

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

type WithSpec = KubeObject & { readonly spec: object };

/** Identifies a value that a user reads before changing it. The API server sorts the keys of an object. */
export function versionOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value ?? null))
    .digest('base64url')
    .slice(0, 16);
}

/** @throws AdministrationError Conflict if the value has changed since the user read it */
export function checkVersion(current: string, read: string): void {
  if (current !== read)
    throw new AdministrationError(
      'Someone else changed these settings after you opened this page. Compare the current values, then save again to replace them',
      { code: 'Conflict' },
    );
}

interface SpecChange<T extends WithSpec> {
  readonly read: () => Promise<T>;
  readonly change: (current: T) => T['spec'];
  /** Of the differences between the spec and that of `current`; undefined if there are none. Null removes an annotation. */
  readonly annotationsFor?: (
    spec: object | undefined,
    current: T,
  ) => Readonly<Record<string, string | null>> | undefined;
}

/** The status and other parts change at any time; each attempt reads the object again. */
const MOST_ATTEMPTS = 5;

/**
 * Writes the differences between the spec and what `change` makes of it, and the annotations for these differences, only to the
 * version of the object that `change` has seen.
 * @throws what `read` and `change` throw; AdministrationError Conflict if the object changes all the time
 */
export async function changeSpec<T extends WithSpec>(
  objects: Pick<ObjectClient<T>, 'mergePatch'>,
  { read, change, annotationsFor = () => undefined }: SpecChange<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const current = await read();
    const spec = mergePatchOf(current.spec, change(current));
    const annotations = annotationsFor(spec, current);
    if (spec === undefined && annotations === undefined) return current;
    const { namespace, name, resourceVersion } = current.metadata;
    const patch = {
      metadata: { resourceVersion, ...(annotations && { annotations }) },
      ...(spec && { spec }),
    };
    try {
      return await objects.mergePatch({ namespace, name }, patch);
    } catch (error) {
      if (!hasCode(error, 'Conflict') || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}
