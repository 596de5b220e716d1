/** Why a name may not stand in an archive. */
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
  | 'file-and-directory';

export interface EntryNameFault {
  readonly index: number;
  readonly reason: EntryNameProblem;
}

const LONGEST_NAME_BYTES = 1024;
const LONGEST_SEGMENT_BYTES = 255;

/** Each rule keeps an unpacker from writing outside its folder, or a person from seeing another name than the real one. */
const RULES: readonly (readonly [EntryNameProblem, (name: string) => boolean])[] = [
  ['empty', (name) => name === ''],
  ['lone-surrogate', (name) => !name.isWellFormed()],
  ['control-character', (name) => /\p{Cc}/u.test(name)],
  ['bidi-control', (name) => /[\u202a-\u202e\u2066-\u2069]/u.test(name)],
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

/** What is wrong with one name by itself. */
export const checkEntryName = (name: string): EntryNameProblem | undefined =>
  RULES.find(([, isBroken]) => isBroken(name))?.[0];

const directoriesOf = (name: string): readonly string[] => {
  const directories: string[] = [];
  for (let at = name.indexOf('/'); at !== -1; at = name.indexOf('/', at + 1))
    directories.push(name.slice(0, at));
  return directories;
};

/**
 * The first name, in order, that may not stand in an archive: unsafe, a repetition, or at once a file and a directory of
 * another. Pure.
 */
export const checkEntryNames = (names: readonly string[]): EntryNameFault | undefined => {
  const files = new Set<string>();
  const directories = new Set<string>();
  for (const [index, name] of names.entries()) {
    const problem = checkEntryName(name);
    if (problem) return { index, reason: problem };
    if (files.has(name)) return { index, reason: 'duplicate' };
    const parents = directoriesOf(name);
    if (directories.has(name) || parents.some((parent) => files.has(parent)))
      return { index, reason: 'file-and-directory' };
    files.add(name);
    for (const parent of parents) directories.add(parent);
  }
  return undefined;
};
