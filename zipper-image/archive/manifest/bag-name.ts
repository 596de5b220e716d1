import { toPortableSegment } from '#runtime/portable-names.ts';

/** A backslash, and a dash with which a command would take the name for an option. */
const NOT_IN_NAMES = /\\|^-/g;

/** Name of the base directory of a bag: the last segment of the key without `.zip`, as every system can store it. */
export const bagName = (key: string): string => {
  const segment = key.slice(key.lastIndexOf('/') + 1).replace(/\.zip$/i, '');
  return segment === '' ? 'bag' : toPortableSegment(segment.replaceAll(NOT_IN_NAMES, '_'));
};
