import {
  checkEntryName,
  type EntryNameFault,
  type EntryNameProblem,
  findConflicts,
} from '../entries/entry-name.ts';
import { createManifestNameCheck, type ManifestNameRules } from '../entries/manifest-names.ts';
import { foldName } from '../entries/name-index.ts';
import { checkPortableName, toPortableName } from '../entries/portable-names.ts';
import { type EntryFault, type Faults, faultOf } from './entry-faults.ts';

export const NAME_PROBLEMS: Readonly<Record<EntryNameProblem, string>> = {
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
  'windows-path':
    'is longer than 240 characters (UTF-16 code units), which leaves Windows no room for a folder: shorten it',
  'same-normalized':
    'differs from the name of another entry only in Unicode normalization, so some programs would write only one of them: rename it',
  'same-elsewhere': 'differs from the name of another entry only in letter case or Unicode normalization',
};

interface NamedEntry {
  readonly index: number;
  /** As it would be in the archive. */
  readonly name: string;
}

function faultFor(index: number, reason: EntryNameProblem): EntryFault {
  return faultOf(index, 'filename', NAME_PROBLEMS[reason]);
}

/** The names that conflict with others, as `compared` makes them comparable. */
function* findConflictFaults(
  names: readonly NamedEntry[],
  compared: (name: string) => string,
  reason: (conflict: EntryNameFault) => EntryNameProblem,
): Faults {
  for (const conflict of findConflicts(names.map(({ name }) => compared(name))))
    yield faultFor(names[conflict.index]?.index ?? conflict.index, reason(conflict));
}

/** Names that are equal only as they are compared. A file and its folder are not: another message fits them. */
function duplicatesAs(problem: EntryNameProblem) {
  return ({ reason }: EntryNameFault): EntryNameProblem => (reason === 'duplicate' ? problem : reason);
}

/** The names that Windows cannot store by themselves, in steps. */
function* findPortabilityFaults(names: readonly NamedEntry[]): Faults {
  for (const { index, name } of names) {
    const reason = checkPortableName(name);
    yield reason && faultFor(index, reason);
  }
}

/** The names that the manifest does not allow, in steps. */
function* findManifestFaults(names: readonly NamedEntry[], rules: ManifestNameRules): Faults {
  const check = createManifestNameCheck(rules);
  for (const { index, name } of names) {
    const problem = check(name);
    yield problem === undefined ? undefined : faultOf(index, 'filename', problem);
  }
}

/** Rewriting gives different names to entries whose names differ, so only equal ones conflict. */
function* findRepeated(names: readonly NamedEntry[], asked: readonly string[]): Faults {
  const seen = new Set<string>();
  for (const { index } of names) {
    const name = asked[index] ?? '';
    yield seen.has(name) ? faultFor(index, 'duplicate') : undefined;
    seen.add(name);
  }
}

/** Names that differ only in normalization are one name for common programs, whatever the system. */
function* findKeptConflicts(names: readonly NamedEntry[]): Faults {
  yield* findConflictFaults(
    names,
    (name) => name,
    ({ reason }) => reason,
  );
  const composed: NamedEntry[] = [];
  let isChanged = false;
  for (const { index, name } of names) {
    const other = name.normalize('NFC');
    isChanged ||= other !== name;
    composed.push({ index, name: other });
    yield;
  }
  if (isChanged) yield* findConflictFaults(composed, (name) => name, duplicatesAs('same-normalized'));
}

/**
 * The names that an archive cannot have, in steps, for requests and for ZipJobs: those that are invalid by themselves, then those that
 * conflict with others, unless these are renamed. With `rewrite`, they are checked as they would be in the archive.
 */
export function* findNameFaults(names: readonly string[], rules: ManifestNameRules): Faults {
  const isRewritten = rules.portableNames === 'rewrite';
  const isRefused = rules.duplicateNames !== 'rename';
  const valid: NamedEntry[] = [];
  for (const [index, asked] of names.entries()) {
    const name = isRewritten ? toPortableName(asked) : asked;
    const reason = checkEntryName(name);
    if (reason === undefined) valid.push({ index, name });
    yield reason && faultFor(index, reason);
  }
  if (isRefused) yield* isRewritten ? findRepeated(valid, names) : findKeptConflicts(valid);
  yield;
  if (rules.portableNames === 'refuse') {
    yield* findPortabilityFaults(valid);
    if (isRefused) yield* findConflictFaults(valid, foldName, duplicatesAs('same-elsewhere'));
  }
  yield* findManifestFaults(valid, rules);
}
