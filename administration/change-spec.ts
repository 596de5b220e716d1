import { createHash } from 'node:crypto';
import type { KubeObject, ObjectClient } from '#runtime/kube/types.ts';
import { AdministrationError, hasCode } from './administration-error.ts';
import { mergePatchOf } from './merge-patch.ts';

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
  /** Of the differences; undefined if there are none. */
  readonly annotationsFor?: (spec: object | undefined) => Readonly<Record<string, string>> | undefined;
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
    const annotations = annotationsFor(spec);
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
