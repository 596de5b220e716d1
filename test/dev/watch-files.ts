import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';

export interface WatchOptions {
  readonly root: string;
  /** Folders below the root. */
  readonly folders: readonly string[];
  /** Called with the path of each file that was written, added, replaced or removed, relative to the root. */
  readonly onChange: (path: string) => void;
}

function explain(error: unknown): Error {
  const isLimit = error instanceof Error && 'code' in error && /^(ENOSPC|EMFILE)$/.test(String(error.code));
  const remedy = 'Raise the limit with: sudo sysctl fs.inotify.max_user_watches=524288';
  return new Error(`Cannot watch the source folders: ${String(error)}.${isLimit ? ` ${remedy}` : ''}`, {
    cause: error,
  });
}

/**
 * Watches folders and everything below them, with one watch per folder. The `recursive` option of node:fs watches each file
 * on Linux and misses all changes after an editor has replaced the file by a rename.
 * @throws Error when the system refuses a watch.
 */
export function watchFiles({ root, folders, onChange }: WatchOptions): Disposable {
  const watchers = new Map<string, FSWatcher>();
  function unwatch(folder: string): void {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  }
  function isFolder(path: string): boolean {
    return statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory() ?? false;
  }

  function onEvent(folder: string, name: string | null): void {
    if (name === null) return;
    const path = `${folder}/${name}`;
    if (!isFolder(path)) {
      if (watchers.has(path)) unwatch(path);
      else onChange(path);
      return;
    }
    // Files may have been written into a new folder before it is watched.
    if (!watchers.has(path)) for (const file of watchBelow(path)) onChange(file);
  }

  /** Returns the files it finds. */
  function watchBelow(folder: string): readonly string[] {
    const watcher = watch(join(root, folder), (_event, name) => onEvent(folder, name));
    // A removed folder ends its watch with an error on some systems.
    watcher.on('error', () => unwatch(folder));
    watchers.set(folder, watcher);
    return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? watchBelow(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`],
    );
  }

  function close(): void {
    for (const watcher of watchers.values()) watcher.close();
    watchers.clear();
  }
  try {
    for (const folder of folders) watchBelow(folder);
  } catch (error) {
    close();
    throw explain(error);
  }
  return { [Symbol.dispose]: close };
}
