import { checkEntryName, type EntryNameFault, type EntryNameProblem, findConflicts } from '../entry-name.ts';
import { comparedInBags, createManifestNameCheck, type ManifestNameRules } from '../manifest-names.ts';
import { foldName } from '../name-index.ts';
import { checkPortableName } from '../portable-names.ts';
import { type EntryFault, type Faults, faultOf } from './entry-faults.ts';

const NAME_PROBLEMS: Readonly<Record<EntryNameProblem, string>> = {
  empty: 'must not be empty',
  'too-long': 'is longer than 1024 bytes of UTF-8',
  'segment-too-long': 'has a segment longer than 255 bytes of UTF-8',
  absolute: 'must not start with "/"',
  drive: 'must not start with a drive such as "C:"',
  backslash: 'must not contain a backslash',
  'trailing-slash': 'must not end with "/"',
  'empty-segment': 'must not contain an empty segment',
  'dot-segment': 'must not contain a "." or ".." segment',
  'control-character': 'must not contain control characters',
  'bidi-control': 'must not contain bidirectional control characters',
  'lone-surrogate': 'is not valid Unicode: it contains an unpaired surrogate',
  duplicate: 'is already the name of another entry',
  'file-and-directory': 'conflicts with another entry: the same name is both a file and a directory',
  'windows-character': 'contains one of the characters < > : " | ? * which Windows does not allow',
  'windows-device': 'is a reserved device name on Windows',
  'windows-ending': 'has a segment that ends with a space or a dot, which Windows removes',
  'same-elsewhere': 'differs from the name of another entry only in letter case or Unicode normalization',
};

interface NamedEntry {
  readonly index: number;
  readonly name: string;
}

const inNames = (fault: EntryNameFault, names: readonly NamedEntry[]): EntryFault =>
  faultOf(names[fault.index]?.index ?? fault.index, 'filename', NAME_PROBLEMS[fault.reason]);

/** Like checkPortableNames, in steps. */
function* findPortabilityFaults(names: readonly NamedEntry[]): Faults {
  const folded: string[] = [];
  for (const { index, name } of names) {
    const reason = checkPortableName(name);
    folded.push(foldName(name));
    yield reason && faultOf(index, 'filename', NAME_PROBLEMS[reason]);
  }
  for (const { index } of findConflicts(folded)) yield inNames({ index, reason: 'same-elsewhere' }, names);
}

/** The names that the manifest does not allow, in steps. */
function* findManifestFaults(names: readonly NamedEntry[], rules: ManifestNameRules): Faults {
  const check = createManifestNameCheck(rules);
  const compared = comparedInBags(rules);
  const toCompare: string[] = [];
  for (const { index, name } of names) {
    const problem = check(name);
    if (compared) toCompare.push(compared(name));
    yield problem === undefined ? undefined : faultOf(index, 'filename', problem);
  }
  for (const { index } of findConflicts(toCompare)) yield inNames({ index, reason: 'same-elsewhere' }, names);
}

/** Like checkEntryNames, in steps. Only names that are valid by themselves are compared with others. */
export function* findNameFaults(names: readonly string[], rules: ManifestNameRules): Faults {
  const valid: NamedEntry[] = [];
  for (const [index, name] of names.entries()) {
    const reason = checkEntryName(name);
    if (reason === undefined) valid.push({ index, name });
    yield reason && faultOf(index, 'filename', NAME_PROBLEMS[reason]);
  }
  for (const fault of findConflicts(valid.map(({ name }) => name))) yield inNames(fault, valid);
  yield;
  if (rules.portableNames === 'refuse') yield* findPortabilityFaults(valid);
  yield* findManifestFaults(valid, rules);
}
