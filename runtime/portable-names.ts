/**
 * Names that every common system can store side by side. Windows does not allow `CON`
 * or `a:b`, and removes dots and blanks at the end of a name. Windows and macOS treat
 * `A` and `a` as equal, and also the two encodings of an accented letter.
 */
import { type EntryNameFault, findConflict } from './entry-name.ts';
import {
  createNameIndex,
  cutToBytes,
  foldName,
  LONGEST_SEGMENT_BYTES,
  takeFreeName,
  withEnding,
} from './name-index.ts';

/** Windows device names, with any extension. Superscript digits count as digits. */
const RESERVED = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])\s*(\.|$)/i;
const FORBIDDEN_CHARACTER = /[<>:"|?*]/;
const LOOSE_END = /(?<![. ])[. ]+$/;

/** Each rule, with the replacement for a segment that breaks it. */
const SEGMENT_RULES = [
  ['windows-character', FORBIDDEN_CHARACTER, (text: string) => text.replaceAll(/[<>:"|?*]/g, '_')],
  ['windows-device', RESERVED, (text: string) => `_${cutToBytes(text, LONGEST_SEGMENT_BYTES - 1)}`],
  ['windows-ending', LOOSE_END, (text: string) => text.replace(LOOSE_END, (end) => '_'.repeat(end.length))],
] as const;

/** Why Windows cannot store this name; undefined if it can. */
export const checkPortableName = (name: string): EntryNameFault['reason'] | undefined => {
  const segments = name.split('/');
  return SEGMENT_RULES.find(([, broken]) => segments.some((segment) => broken.test(segment)))?.[0];
};

/** The first name that some system cannot store, or not beside the others. The names must be valid otherwise. Pure. */
export const checkPortableNames = (names: readonly string[]): EntryNameFault | undefined => {
  for (const [index, name] of names.entries()) {
    const reason = checkPortableName(name);
    if (reason) return { index, reason };
  }
  const conflict = findConflict(names.map(foldName));
  return conflict && { index: conflict.index, reason: 'same-elsewhere' };
};

const rewriteSegment = (segment: string): string =>
  SEGMENT_RULES.reduce((text, [, broken, rewrite]) => (broken.test(text) ? rewrite(text) : text), segment);

/** The name as every system can store it, if no other name is beside it. */
export const toPortableName = (name: string): string => name.split('/').map(rewriteSegment).join('/');

const LONGEST_EXTENSION = 32;

/** `name (2).txt`. A leading dot does not start an extension, and a long extension does not count as one. */
const numbered = (name: string, n: number): string => {
  const dot = name.lastIndexOf('.');
  const isExtension = dot > name.lastIndexOf('/') + 1 && name.length - dot <= LONGEST_EXTENSION;
  const [stem, extension] = isExtension ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  return withEnding(stem, ` (${n})${extension}`);
};

/**
 * Converts names to names that every system can store, in the same order: a forbidden character becomes `_`, a device
 * name gets a `_` prefix, and duplicates get a number. Valid names stay unchanged. No number makes a name one of `taken`. Pure.
 */
export const toPortableNames = (
  names: readonly string[],
  taken: readonly string[] = [],
): readonly string[] => {
  const rewritten = names.map(toPortableName);
  const index = createNameIndex([...rewritten, ...taken]);
  /** The highest number used for a name so far. The first occurrence has no number. */
  const numbers = new Map<string, number>();
  return rewritten.map((name) => {
    const key = foldName(name);
    const last = numbers.get(key);
    let n = last ?? 1;
    const free =
      last === undefined && !index.isFolder(name) ? name : takeFreeName(index, () => numbered(name, ++n));
    numbers.set(key, n);
    return free;
  });
};
