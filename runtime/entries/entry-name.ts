/** Why a name is not allowed in an archive. */
export type EntryNameProblem =
  | 'empty'
  | 'too-long'
  | 'segment-too-long'
  | 'absolute'
  | 'drive'
  | 'backslash'
  | 'trailing-slash'
  | 'empty-segment'
  | 'dot-segment'
  | 'control-character'
  | 'bidi-control'
  | 'lone-surrogate'
  | 'duplicate'
  | 'file-and-directory'
  | 'windows-character'
  | 'windows-device'
  | 'windows-ending'
  | 'windows-path'
  | 'same-normalized'
  | 'same-elsewhere';

export interface EntryNameFault {
  readonly index: number;
  readonly reason: EntryNameProblem;
}

export const LONGEST_NAME_BYTES = 1024;
/** Of UTF-8, as file systems allow. */
export const LONGEST_SEGMENT_BYTES = 255;

/** Each rule prevents either a write outside the target folder, or a displayed name that differs from the real one. */
const RULES: readonly (readonly [EntryNameProblem, (name: string) => boolean])[] = [
  ['empty', (name) => name === ''],
  ['lone-surrogate', (name) => !name.isWellFormed()],
  ['control-character', (name) => /\p{Cc}/u.test(name)],
  ['bidi-control', (name) => /\p{Bidi_Control}/u.test(name)],
  ['backslash', (name) => name.includes('\\')],
  ['absolute', (name) => name.startsWith('/')],
  ['drive', (name) => /^[a-z]:/i.test(name)],
  ['trailing-slash', (name) => name.endsWith('/')],
  ['empty-segment', (name) => name.includes('//')],
  ['dot-segment', (name) => name.split('/').some((segment) => segment === '.' || segment === '..')],
  ['too-long', (name) => Buffer.byteLength(name) > LONGEST_NAME_BYTES],
  [
    'segment-too-long',
    (name) => name.split('/').some((segment) => Buffer.byteLength(segment) > LONGEST_SEGMENT_BYTES),
  ],
];

export function checkEntryName(name: string): EntryNameProblem | undefined {
  return RULES.find(([, isBroken]) => isBroken(name))?.[0];
}

interface SortedName {
  readonly key: string;
  readonly index: number;
}

function byKey(a: SortedName, b: SortedName): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : a.index - b.index;
}

/** Removes the names below which the key is not. */
function popUnrelated(above: SortedName[], key: string): void {
  while (above.length > 0 && !key.startsWith(above.at(-1)?.key ?? '')) above.pop();
}

/**
 * Every name that conflicts with an earlier one, in the order of the names. A name is a directory of another if the other
 * starts with it and a slash. When names are sorted with a trailing slash, a name is directly followed by its duplicates and
 * by the names below it. So directories need not be stored, which could be millions for deep names.
 */
export function findConflicts(names: readonly string[]): readonly EntryNameFault[] {
  const sorted = names.map((name, index): SortedName => ({ key: `${name}/`, index })).sort(byKey);
  const reasons = new Map<number, EntryNameProblem>();
  /** The names of which the current one is a duplicate, or below which it is. */
  const above: SortedName[] = [];
  for (const entry of sorted) {
    const { key, index } = entry;
    popUnrelated(above, key);
    for (const other of above) {
      const later = Math.max(index, other.index);
      if (!reasons.has(later)) reasons.set(later, other.key === key ? 'duplicate' : 'file-and-directory');
    }
    if (above.at(-1)?.key !== key) above.push(entry);
  }
  return [...reasons].map(([index, reason]) => ({ index, reason })).sort((a, b) => a.index - b.index);
}
