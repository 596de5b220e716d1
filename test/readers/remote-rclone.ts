import { join } from 'node:path';
import { runProgram } from '#test/support/processes/run-program.ts';
import { ensureProgram } from '#tools/local-cluster/binaries.ts';
import type { GoProgram } from '#tools/local-cluster/go-program.ts';

const RCLONE: GoProgram = {
  name: 'rclone',
  what: 'rclone with its archive backend',
  folder: join(import.meta.dirname, 'rclone'),
  costs: { cpuSeconds: 55, serialSeconds: 6, linkSeconds: 2, otherPackageSeconds: 0.2, packages: {} },
  coldPackages: [],
};

/** The path of the program, which is built once. @throws GoMissingError without Go */
export function findRclone(log: (line: string) => void): Promise<string> {
  return ensureProgram(RCLONE, log);
}

/**
 * One file of an archive in a folder of a web server.
 * @param folder - URL of the folder above the one with the archive, because rclone finds no archive at the root of a remote.
 * @param path - Of the archive and the file in it, such as `files/a.zip/report.pdf`.
 */
export function readWithRclone(program: string, folder: string, path: string): Promise<Buffer> {
  return runProgram('env', [
    'RCLONE_CONFIG=/dev/null',
    'RCLONE_CONFIG_WEB_TYPE=http',
    `RCLONE_CONFIG_WEB_URL=${folder}`,
    // It requests such ranges, each twice as long as the one before, and ends the last when it has what it needs.
    'RCLONE_VFS_READ_CHUNK_SIZE=256K',
    'RCLONE_VFS_READ_CHUNK_SIZE_LIMIT=1M',
    program,
    'cat',
    `:archive:web:${path}`,
  ]);
}
