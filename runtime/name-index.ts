/**
 * Which names of an archive would be one and the same where letter case, or the way in which an accented letter is composed,
 * makes no difference, or would be at once a file and a directory there.
 */
export interface NameIndex {
  /** Whether an entry of this name would get into the way of one that is there, or of one that was added. */
  isTaken(name: string): boolean;
  /** Whether it is a directory of one of the names that the index began with. */
  isFolder(name: string): boolean;
  add(name: string): void;
}

/** Names that Windows or macOS take for one give the same text. */
export const foldName = (name: string): string =>
  name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');

/** Position of the first text that is not less than `wanted`. */
const lowerBound = (sorted: readonly string[], wanted: string): number => {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? '') < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
};

/**
 * An index over names. With a slash at its end a name, and all that lie below it as if it were a directory, stand side by side
 * when sorted: no directory need be remembered, of which deep names have millions.
 */
export const createNameIndex = (names: readonly string[]): NameIndex => {
  const sorted = names.map((name) => `${foldName(name)}/`).sort();
  const added = new Set<string>();
  return {
    isTaken: (name) => {
      const key = `${foldName(name)}/`;
      return added.has(key) || sorted[lowerBound(sorted, key)]?.startsWith(key) === true;
    },
    // Names have no control characters: whatever lies below the name comes after this.
    isFolder: (name) => {
      const key = `${foldName(name)}/`;
      return sorted[lowerBound(sorted, `${key}\0`)]?.startsWith(key) === true;
    },
    add: (name) => {
      added.add(`${foldName(name)}/`);
    },
  };
};

export const LONGEST_SEGMENT_BYTES = 255;

/** The longest beginning of whole characters that takes at most so many bytes. */
export const cutToBytes = (text: string, bytes: number): string => {
  let kept = '';
  let used = 0;
  for (const character of text) {
    used += Buffer.byteLength(character);
    if (used > bytes) break;
    kept += character;
  }
  return kept;
};

/** The name with an ending; its last segment is shortened where it would be too long for a file system. */
export const withEnding = (name: string, ending: string): string => {
  const slash = name.lastIndexOf('/') + 1;
  const room = LONGEST_SEGMENT_BYTES - Buffer.byteLength(ending);
  return `${name.slice(0, slash)}${cutToBytes(name.slice(slash), room)}${ending}`;
};

/** The first of the names that `next` gives, call after call, that is free; it is taken from then on. */
export const takeFreeName = (index: NameIndex, next: () => string): string => {
  for (;;) {
    const name = next();
    if (index.isTaken(name)) continue;
    index.add(name);
    return name;
  }
};
