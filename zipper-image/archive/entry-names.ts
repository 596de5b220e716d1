/** The names of all entries, decided together before anything is written. */
import { manifestFiles } from '#crds/manifest-files.ts';
import type { FileEntry } from '#crds/zip-job.ts';
import { RENAMED_LIMITS, type ZipResult } from '#crds/zip-outcome.ts';
import { toDistinctNames } from '#runtime/entries/distinct-names.ts';
import { checkEntryName } from '#runtime/entries/entry-name.ts';
import type { ManifestNameRules } from '#runtime/entries/manifest-names.ts';
import { createNameIndex, createTakeNumbered, withEnding } from '#runtime/entries/name-index.ts';
import { numberOnAnySystem, toPortableNames, withPortableEnding } from '#runtime/entries/portable-names.ts';
import { findNameFaults } from '#runtime/zip-request/name-faults.ts';
import { TaskError } from '../status/task-error.ts';
import { bagName } from './manifest/bag-name.ts';

export interface EntryNames {
  /** Base directory of all entries, if the archive is a BagIt bag. */
  readonly bag: string | undefined;
  /** The files whose names are not those of the request; undefined without any, or if none may be renamed. */
  readonly renamed: ZipResult['renamed'];
  /** Name of the entry of the file with this index. */
  nameOf(index: number): string;
  /** Name of the placeholder for a failed file: `<name>.error.txt`, or the next free name. */
  placeholderOf(index: number): string;
}

export interface EntryNameOptions extends ManifestNameRules {
  /** Key of the archive, which names the bag. */
  readonly key: string;
}

const PLACEHOLDER_ENDING = '.error.txt';

/** The rules of the API, because a ZipJob that the API did not create was never validated. */
function refuse(names: readonly string[], rules: ManifestNameRules): void {
  for (const file of manifestFiles(rules)) {
    const reason = checkEntryName(file);
    if (reason) throw new TaskError(`The name of the manifest is not allowed in the archive: ${reason}`);
  }
  for (const fault of findNameFaults(names, rules)) {
    if (fault === undefined) continue;
    const { index, problem } = fault;
    throw new TaskError(`The name of file ${index} is not allowed in the archive: it ${problem}`, {
      fileIndex: index,
    });
  }
}

/** Takes the first name, or else the first free one with a number, beside these names. */
function createTakeFree(names: readonly string[]) {
  const index = createNameIndex(names);
  const takeNumbered = createTakeNumbered(index);
  return (first: string, numbered: (n: number) => string): string => {
    if (index.isTaken(first)) return takeNumbered(numbered);
    index.add(first);
    return first;
  };
}

/** A rewritten name differs from every other one, and a name that is valid on every system stays as it is. */
function namesInArchive(
  asked: readonly string[],
  { portableNames, duplicateNames = 'refuse' }: ManifestNameRules,
  beside: readonly string[],
): readonly string[] {
  if (portableNames === 'rewrite') return toPortableNames(asked, beside);
  if (duplicateNames === 'refuse') return asked;
  return (portableNames === 'keep' ? toDistinctNames : numberOnAnySystem)(asked, beside);
}

/** As many of the first renamed files as the status has room for, with the number of all. */
function renamedIn(asked: readonly string[], names: readonly string[]): ZipResult['renamed'] {
  const files: { readonly fileIndex: number; readonly name: string }[] = [];
  let total = 0;
  let bytes = 0;
  for (const [fileIndex, name] of names.entries()) {
    if (name === asked[fileIndex]) continue;
    total += 1;
    bytes += Buffer.byteLength(name);
    if (total <= RENAMED_LIMITS.files && bytes <= RENAMED_LIMITS.nameBytes) files.push({ fileIndex, name });
  }
  return total === 0 ? undefined : { total, files };
}

/**
 * Names the entries.
 * @throws TaskError with the index of the first file whose name is not allowed in an archive
 */
export function planEntryNames(files: readonly FileEntry[], options: EntryNameOptions): EntryNames {
  const { portableNames, duplicateNames, manifestFormat, key } = options;
  const asked = files.map(({ filename }) => filename);
  refuse(asked, options);
  const bag = manifestFormat === 'bagit' ? bagName(key) : undefined;
  const folder = bag === undefined ? '' : `${bag}/data/`;
  const beside = bag === undefined ? manifestFiles(options) : [];
  const names = namesInArchive(asked, options, beside);
  function nameInFolder(index: number): string {
    const name = names[index];
    if (name === undefined) throw new RangeError(`no file with index ${index}`);
    return name;
  }
  const ended = portableNames === 'keep' ? withEnding : withPortableEnding;
  let takeFree: ReturnType<typeof createTakeFree> | undefined;
  return {
    bag,
    renamed: duplicateNames === 'rename' ? renamedIn(asked, names) : undefined,
    nameOf: (file) => `${folder}${nameInFolder(file)}`,
    placeholderOf: (file) => {
      takeFree ??= createTakeFree([...names, ...beside]);
      const name = nameInFolder(file);
      const placeholder = takeFree(ended(name, PLACEHOLDER_ENDING), (n) => ended(name, `.error-${n}.txt`));
      return `${folder}${placeholder}`;
    },
  };
}
