import { cutToBytes, LONGEST_SEGMENT_BYTES } from '#runtime/name-index.ts';
import { toPortableName } from '#runtime/portable-names.ts';

/** What no entry name may contain, and a dash with which a command would take the name for an option. */
const NOT_IN_NAMES = /[\\\p{Cc}\p{Bidi_Control}\p{Cs}]|^-/gu;

/** Name of the base directory of a bag: the last segment of the key without `.zip`, as every system can store it. */
export const bagName = (key: string): string => {
  const segment = key.slice(key.lastIndexOf('/') + 1).replace(/\.zip$/i, '');
  const name = cutToBytes(segment.replaceAll(NOT_IN_NAMES, '_'), LONGEST_SEGMENT_BYTES);
  return name === '' ? 'bag' : toPortableName(name);
};
