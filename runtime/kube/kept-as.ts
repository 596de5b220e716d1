import type { KubeObject, ResourceDefinition } from './types.ts';

/**
 * The definition for a reflector that keeps only a part of each object. `toKept` must copy `uid` and `resourceVersion`, by which
 * the cache recognizes an object.
 */
export const keptAs = <Wire extends KubeObject, Kept extends KubeObject>(
  definition: ResourceDefinition<Wire>,
  toKept: (object: Wire) => Kept,
): ResourceDefinition<Kept> => ({ ...definition, decode: (value) => toKept(definition.decode(value)) });
