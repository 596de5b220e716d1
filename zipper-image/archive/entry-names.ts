/** The names of all entries, decided together before anything is written. */
import type { FileEntry, PortableNames } from '#crds/zip-job.ts';
import { checkEntryNames } from '#runtime/entry-name.ts';
import { createNameIndex, takeFreeName, withEnding } from '#runtime/name-index.ts';
import { checkPortableNames, toPortableNames } from '#runtime/portable-names.ts';
import { TaskError } from '../status/task-error.ts';

export interface EntryNames {
  /** Name of the entry of the file with this index. */
  nameOf(index: number): string;
  /** Name of the placeholder for a failed file: `<name>.error.txt`, or the next free name. */
  placeholderOf(index: number): string;
}

export interface EntryNameOptions {
  readonly portableNames: PortableNames;
  readonly manifestEntry?: string;
}

const PLACEHOLDER_ENDING = '.error.txt';

const refuse = (names: readonly string[], check: typeof checkEntryNames): void => {
  const fault = check(names);
  if (!fault) return;
  const { index, reason } = fault;
  throw new TaskError(`The name of file ${index} is not allowed in the archive: ${reason}`, {
    fileIndex: index,
  });
};

/** The manifest must not have the name of a file; the creator of the list must choose another. */
const refuseManifest = (names: readonly string[], manifestEntry: string): void => {
  const fault = checkEntryNames([...names, manifestEntry]);
  if (fault) throw new TaskError(`The name of the manifest is not allowed in the archive: ${fault.reason}`);
};

/**
 * Names the entries. Validates the list again, because a ZipJob that the API did not create was never validated.
 * @throws TaskError with the index of the first file whose name is not allowed in an archive
 */
export const planEntryNames = (files: readonly FileEntry[], options: EntryNameOptions): EntryNames => {
  const { portableNames, manifestEntry } = options;
  const asked = files.map(({ filename }) => filename);
  refuse(asked, checkEntryNames);
  if (portableNames === 'refuse') refuse(asked, checkPortableNames);
  const names = portableNames === 'rewrite' ? toPortableNames(asked) : asked;
  if (manifestEntry !== undefined) refuseManifest(names, manifestEntry);
  const nameOf = (index: number): string => {
    const name = names[index];
    if (name === undefined) throw new RangeError(`no file with index ${index}`);
    return name;
  };
  let index: ReturnType<typeof createNameIndex> | undefined;
  return {
    nameOf,
    placeholderOf: (file) => {
      index ??= createNameIndex(manifestEntry === undefined ? names : [...names, manifestEntry]);
      let n = 0;
      return takeFreeName(index, () => {
        n += 1;
        return withEnding(nameOf(file), n === 1 ? PLACEHOLDER_ENDING : `.error-${n}.txt`);
      });
    },
  };
};
