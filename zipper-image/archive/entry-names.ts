/** The names of all entries, decided together before anything is written. */
import { manifestFiles } from '#crds/manifest-files.ts';
import type { FileEntry } from '#crds/zip-job.ts';
import { checkEntryName } from '#runtime/entries/entry-name.ts';
import type { ManifestNameRules } from '#runtime/entries/manifest-names.ts';
import { createNameIndex, createTakeNumbered, withEnding } from '#runtime/entries/name-index.ts';
import { toPortableNames, withPortableEnding } from '#runtime/entries/portable-names.ts';
import { findNameFaults } from '#runtime/zip-request/name-faults.ts';
import { TaskError } from '../status/task-error.ts';
import { bagName } from './manifest/bag-name.ts';

export interface EntryNames {
  /** Base directory of all entries, if the archive is a BagIt bag. */
  readonly bag: string | undefined;
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

/**
 * Names the entries.
 * @throws TaskError with the index of the first file whose name is not allowed in an archive
 */
export function planEntryNames(files: readonly FileEntry[], options: EntryNameOptions): EntryNames {
  const { portableNames, manifestFormat, key } = options;
  const asked = files.map(({ filename }) => filename);
  refuse(asked, options);
  const bag = manifestFormat === 'bagit' ? bagName(key) : undefined;
  const folder = bag === undefined ? '' : `${bag}/data/`;
  const beside = bag === undefined ? manifestFiles(options) : [];
  const names = portableNames === 'rewrite' ? toPortableNames(asked, beside) : asked;
  function nameInFolder(index: number): string {
    const name = names[index];
    if (name === undefined) throw new RangeError(`no file with index ${index}`);
    return name;
  }
  const ended = portableNames === 'keep' ? withEnding : withPortableEnding;
  let takeFree: ReturnType<typeof createTakeFree> | undefined;
  return {
    bag,
    nameOf: (file) => `${folder}${nameInFolder(file)}`,
    placeholderOf: (file) => {
      takeFree ??= createTakeFree([...names, ...beside]);
      const name = nameInFolder(file);
      const placeholder = takeFree(ended(name, PLACEHOLDER_ENDING), (n) => ended(name, `.error-${n}.txt`));
      return `${folder}${placeholder}`;
    },
  };
}
