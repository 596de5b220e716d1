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
  | 'same-elsewhere';

export interface EntryNameFault {
  readonly index: number;
  readonly reason: EntryNameProblem;
}

export const LONGEST_NAME_BYTES = 1024;
const LONGEST_SEGMENT_BYTES = 255;

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

export const checkEntryName = (name: string): EntryNameProblem | undefined =>
  RULES.find(([, isBroken]) => isBroken(name))?.[0];

/**
 * A name is a directory of another if the other starts with it and a slash. When names are sorted with a trailing
 * slash, such pairs and duplicates are adjacent. So directories need not be stored, which could be millions for deep
 * names.
 */
export const findConflict = (names: readonly string[]): EntryNameFault | undefined => {
  const sorted = names
    .map((name, index) => ({ key: `${name}/`, index }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.index - b.index));
  return sorted
    .flatMap((entry, at): EntryNameFault[] => {
      const next = sorted[at + 1];
      if (!next?.key.startsWith(entry.key)) return [];
      const reason = next.key === entry.key ? 'duplicate' : 'file-and-directory';
      return [{ index: Math.max(entry.index, next.index), reason }];
    })
    .reduce<EntryNameFault | undefined>(
      (first, fault) => (first && first.index <= fault.index ? first : fault),
      undefined,
    );
};

/** The first name that is not allowed in an archive: invalid by itself, or else a duplicate, or both a file and a directory. Pure. */
export const checkEntryNames = (names: readonly string[]): EntryNameFault | undefined => {
  for (const [index, name] of names.entries()) {
    const reason = checkEntryName(name);
    if (reason) return { index, reason };
  }
  return findConflict(names);
};
