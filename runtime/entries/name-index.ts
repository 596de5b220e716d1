import { LONGEST_SEGMENT_BYTES } from './entry-name.ts';

/**
 * The names of an archive, to find conflicts on systems that ignore letter case or Unicode composition: equal names, or
 * a name that is both a file and a directory.
 */
export interface NameIndex {
  /** Whether an entry of this name would conflict with an initial or added name. */
  isTaken(name: string): boolean;
  /** Whether this name is a directory of one of the initial names. */
  isFolder(name: string): boolean;
  add(name: string): void;
}

/** Returns the same text for names that count as equal. */
type CompareAs = (name: string) => string;

/** Names that differ only in normalization are one name for common programs, whatever the system. */
export function composeName(name: string): string {
  return name.normalize('NFC');
}

/** Returns the same text for names that Windows or macOS treat as equal. The capital sharp s has no other upper case: it must be `ß` first. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase().toUpperCase().toLowerCase().normalize('NFC');
}

/** Position of the first text that is not less than `wanted`. */
function lowerBound(sorted: readonly string[], wanted: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? '') < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Names are sorted with a trailing slash, so a name and all names below it are adjacent. Directories need not be
 * stored, which could be millions for deep names.
 */
export function createNameIndex(names: readonly string[], compared: CompareAs = foldName): NameIndex {
  const sorted = names.map((name) => `${compared(name)}/`).sort();
  const added = new Set<string>();
  return {
    isTaken: (name) => {
      const key = `${compared(name)}/`;
      return added.has(key) || sorted[lowerBound(sorted, key)]?.startsWith(key) === true;
    },
    // Names contain no control characters, so all names below this one sort after `\0`.
    isFolder: (name) => {
      const key = `${compared(name)}/`;
      return sorted[lowerBound(sorted, `${key}\0`)]?.startsWith(key) === true;
    },
    add: (name) => {
      added.add(`${compared(name)}/`);
    },
  };
}

/** The longest prefix of whole characters that fits into this many bytes and UTF-16 units. */
export function cutTo(text: string, bytes: number, units = Infinity): string {
  if (text.length <= units && Buffer.byteLength(text) <= bytes) return text;
  let kept = '';
  let used = 0;
  for (const character of text) {
    used += Buffer.byteLength(character);
    if (used > bytes || kept.length + character.length > units) break;
    kept += character;
  }
  return kept;
}

/** Appends an ending, and shortens the last segment to the length that file systems allow. */
export function withEnding(name: string, ending: string): string {
  const slash = name.lastIndexOf('/') + 1;
  const room = LONGEST_SEGMENT_BYTES - Buffer.byteLength(ending);
  return `${name.slice(0, slash)}${cutTo(name.slice(slash), room)}${ending}`;
}

/**
 * Returns a function that takes the first free name of `numbered(2)`, `numbered(3)`, …. No name is tried twice: long names may differ
 * only in what the number replaces, which depends on its number of digits.
 */
export function createTakeNumbered(
  index: NameIndex,
  compared: CompareAs = foldName,
): (numbered: (n: number) => string) => string {
  /** The next number to try, by the name with the lowest number of as many digits. */
  const next = new Map<string, number>();
  return (numbered) => {
    for (let lowest = 1; ; lowest *= 10) {
      const key = compared(numbered(lowest));
      for (let n = next.get(key) ?? Math.max(2, lowest); n < lowest * 10; n += 1) {
        next.set(key, n + 1);
        const name = numbered(n);
        if (index.isTaken(name)) continue;
        index.add(name);
        return name;
      }
    }
  };
}

interface NumberOptions {
  /** Names that no number may give. */
  readonly taken: readonly string[];
  readonly compared: CompareAs;
  /** The name with this number. */
  readonly numbered: (name: string, n: number) => string;
}

/**
 * The names, each of which is given to one entry: a number is added to one that equals an earlier name or is a directory of another,
 * so that it differs from all. Pure, in linear time apart from sorting.
 */
export function numberConflicts(
  names: readonly string[],
  { taken, compared, numbered }: NumberOptions,
): readonly string[] {
  const index = createNameIndex([...names, ...taken], compared);
  const seen = new Set<string>();
  const takeNumbered = createTakeNumbered(index, compared);
  return names.map((name) => {
    const key = compared(name);
    const isFirst = !seen.has(key);
    seen.add(key);
    return isFirst && !index.isFolder(name) ? name : takeNumbered((n) => numbered(name, n));
  });
}
