import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
/** What Dockerfiles and npm run. `sleep` is the program of the image that holds the namespaces of a pod. */
const COMMANDS =
  'sh env cat chgrp chmod chown cp find grep id install ln ls mkdir mv rm rmdir sed sleep touch true uname'.split(
    ' ',
  );
/** Of the C library: native packages load it too, and node:slim has it. */
const FURTHER_LIBRARY = 'librt.so.1';
const FOLDERS = [
  'bin',
  'etc',
  'root',
  'tmp',
  'usr/bin',
  'usr/local/bin',
  'usr/local/etc',
  'usr/local/lib/node_modules',
];

/**
 * Writes the root file system of an image that has what our Dockerfiles use of node:slim: this process's Node, and this machine's
 * npm, commands and C library. It takes a second; a Debian from its packages takes a minute.
 */
export async function writeBaseImage(root: string): Promise<void> {
  await Promise.all(FOLDERS.map((name) => mkdir(join(root, name), { recursive: true })));
  await chmod(join(root, 'tmp'), 0o1777);
  const local = join(root, 'usr/local');
  const paths = await Promise.all(COMMANDS.map(findCommand));
  await copy(process.execPath, join(local, 'bin/node'));
  for (const [index, path] of paths.entries()) await copy(path, join(root, 'usr/bin', COMMANDS[index] ?? ''));
  for (const library of await librariesOf([process.execPath, ...paths]))
    await copy(library, join(root, library));
  await symlink('../usr/bin/sh', join(root, 'bin/sh'));
  await copy(dirname(dirname(await findCommand('npm'))), join(local, 'lib/node_modules/npm'));
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
  await copy(CERTIFICATES, join(root, CERTIFICATES));
  await writeFile(join(local, 'etc/npmrc'), `cafile=${CERTIFICATES}\n`);
  await writeFile(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n');
  await writeFile(join(root, 'etc/group'), 'root:x:0:\n');
}

/** The libraries that the programs load, and the loader. */
async function librariesOf(programs: readonly string[]): Promise<ReadonlySet<string>> {
  const outputs = await Promise.all(programs.map((program) => run('ldd', [program])));
  const found = outputs.flatMap(({ stdout }) => [...stdout.matchAll(/(\/\S+) \(0x/g)]);
  const paths = found.map(([, path = '']) => path);
  const libc = paths.find((path) => basename(path) === 'libc.so.6') ?? '';
  return new Set([...paths, join(dirname(libc), FURTHER_LIBRARY)]);
}

async function findCommand(name: string): Promise<string> {
  const { stdout } = await run('sh', ['-c', `command -v ${name}`]);
  // `command -v true` names the shell's own.
  const path = stdout.trim();
  return realpath(path.startsWith('/') ? path : `/bin/${name}`);
}

async function copy(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  // With the same times, the layer is the same, and buildah uses those built on it.
  await cp(await realpath(from), to, { recursive: true, preserveTimestamps: true });
}
