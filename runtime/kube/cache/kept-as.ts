import type { KubeObject, ResourceDefinition } from '../types.ts';

/** The kind of a reflector that keeps only a part of each object, or nothing of some. */
export interface KeptDefinition<T extends KubeObject> extends Omit<ResourceDefinition<T>, 'decode'> {
  /** Undefined for an object that the cache leaves out. Throws if the value is not an object of this kind. */
  readonly decode: (value: unknown) => T | undefined;
}

/**
 * The definition for a reflector that keeps only a part of each object. `toKept` must copy `uid` and `resourceVersion`, by which
 * the cache recognizes an object. It returns undefined for an object to leave out.
 */
export function keptAs<Wire extends KubeObject, Kept extends KubeObject>(
  definition: ResourceDefinition<Wire>,
  toKept: (object: Wire) => Kept | undefined,
): KeptDefinition<Kept> {
  return { ...definition, decode: (value) => toKept(definition.decode(value)) };
}
