/** The programs and libraries that users open archives with, each as one function. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import yauzl from 'yauzl';
import type { Probe } from '#test/support/processes/require-programs.ts';
import { runProgram } from '#test/support/processes/run-program.ts';

type Command = readonly [string, ...string[]];

export interface ReadEntry {
  readonly name: string;
  readonly sha256: string;
}

export interface ReadTime {
  readonly name: string;
  /** Seconds since 1970, UTC. */
  readonly modified: number;
}

export interface ArchiveReader {
  readonly name: string;
  /** Commands or files that must be installed. */
  readonly needs: readonly string[];
  readonly probe?: Probe;
  /** Writes composed letters to disk where the archive has decomposed ones. */
  readonly composesNames?: boolean;
  /** Entries are in the order of the archive; otherwise they were found on disk, in no order. */
  readonly keepsOrder: boolean;
  /**
   * Unpacks the whole archive.
   * @throws Error when the reader reports an error.
   */
  read(archive: string): Promise<readonly ReadEntry[]>;
  /** The times of the entries in this time zone. Missing for readers that restore none, or the DOS time only. */
  readonly readTimes?: (archive: string, timeZone: string) => Promise<readonly ReadTime[]>;
}

const PROGRAMS = join(import.meta.dirname, 'programs');
const COMMONS_COMPRESS = '/usr/share/java/commons-compress.jar';

export function sha256Of(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}

async function sha256OfStream(stream: AsyncIterable<unknown>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** Every file below a directory. */
async function filesBelow<T>(
  directory: string,
  factsOf: (path: string) => Promise<T>,
): Promise<readonly (T & { readonly name: string })[]> {
  const found = await readdir(directory, { recursive: true, withFileTypes: true });
  const entries: (T & { readonly name: string })[] = [];
  for (const file of found.filter((one) => !one.isDirectory())) {
    const path = join(file.parentPath, file.name);
    const name = relative(directory, path).split(sep).join('/');
    entries.push({ name, ...(await factsOf(path)) });
  }
  return entries;
}

async function digestOf(path: string) {
  return { sha256: await sha256OfStream(createReadStream(path)) };
}

async function modifiedOf(path: string) {
  return { modified: (await stat(path)).mtimeMs / 1000 };
}

/** Digest, time and name of each entry, each ended by a NUL. The time is empty if the program does not print it. */
function parseEntries(output: Buffer): readonly (ReadEntry & ReadTime)[] {
  const fields = output.toString('utf8').split('\0').slice(0, -1);
  return Array.from({ length: fields.length / 3 }, (_, at) => ({
    sha256: fields[3 * at] ?? '',
    modified: Number.parseInt(fields[3 * at + 1] ?? '', 10),
    name: fields[3 * at + 2] ?? '',
  }));
}

type ArgsOf = (archive: string, target: string) => readonly string[];

export interface Extractor {
  readonly name: string;
  readonly program: string;
  readonly args: ArgsOf;
  readonly readsStdin?: boolean;
  readonly composesNames?: boolean;
  /** Restores no times, or the DOS time only. */
  readonly ignoresTimestamps?: boolean;
}

export const EXTRACTORS: readonly Extractor[] = [
  {
    name: 'unzip',
    program: 'unzip',
    args: (archive, target) => ['-qq', '-o', archive, '-d', target],
  },
  {
    name: '7zz',
    program: '7zz',
    args: (archive, target) => ['x', '-y', '-bd', '-bso0', `-o${target}`, archive],
  },
  {
    name: 'bsdtar',
    program: 'bsdtar',
    composesNames: true,
    args: (archive, target) => ['-xf', archive, '-C', target],
  },
  {
    name: 'bsdtar from stdin',
    program: 'bsdtar',
    composesNames: true,
    args: (_archive, target) => ['-xf', '-', '-C', target],
    readsStdin: true,
  },
  {
    name: 'unar',
    program: 'unar',
    args: (archive, target) => ['-q', '-f', '-D', '-o', target, archive],
  },
  {
    name: 'busybox unzip',
    program: 'busybox',
    ignoresTimestamps: true,
    args: (archive, target) => ['unzip', '-q', '-o', archive, '-d', target],
  },
  {
    name: 'miniunzip',
    program: 'miniunzip',
    ignoresTimestamps: true,
    args: (archive, target) => ['-x', '-o', archive, '-d', target],
  },
];

/** Programs that write the content of all entries, one after the other, to their standard output. */
export const PIPES = [
  { name: 'unzip', program: 'unzip', args: ['-p'], readsStdin: false },
  { name: '7zz', program: '7zz', args: ['x', '-so', '-bd'], readsStdin: false },
  { name: 'bsdtar', program: 'bsdtar', args: ['-xOf'], readsStdin: false },
  {
    name: 'bsdtar from stdin',
    program: 'bsdtar',
    args: ['-xOf', '-'],
    readsStdin: true,
  },
  {
    name: 'busybox unzip',
    program: 'busybox',
    args: ['unzip', '-p'],
    readsStdin: false,
  },
] as const;

/** SHA-256 of a program's output for all entries together. */
export async function digestThrough(
  { program, args, readsStdin }: (typeof PIPES)[number],
  archive: string,
): Promise<string> {
  const hash = createHash('sha256');
  await runProgram(program, readsStdin ? args : [...args, archive], {
    ...(readsStdin && { input: archive }),
    onOutput: (chunk) => hash.update(chunk),
  });
  return hash.digest('hex');
}

/** Runs a program that unpacks the archive into a directory. */
export function extractInto(
  extractor: Extractor,
  archive: string,
  { target, timeZone = 'UTC' }: { readonly target: string; readonly timeZone?: string },
): Promise<unknown> {
  return runProgram(extractor.program, extractor.args(archive, target), {
    ...(extractor.readsStdin === true && { input: archive }),
    timeZone,
  });
}

function extractorReader(extractor: Extractor, scratch: string): ArchiveReader {
  async function extract<T>(archive: string, factsOf: (path: string) => Promise<T>, timeZone = 'UTC') {
    const target = await mkdtemp(join(scratch, 'extracted-'));
    await extractInto(extractor, archive, { target, timeZone });
    const entries = await filesBelow(target, factsOf);
    await rm(target, { recursive: true });
    return entries;
  }
  return {
    name: extractor.name,
    needs: [extractor.program],
    composesNames: extractor.composesNames === true,
    keepsOrder: false,
    read: (archive) => extract(archive, digestOf),
    ...(extractor.ignoresTimestamps !== true && {
      readTimes: (archive, timeZone) => extract(archive, modifiedOf, timeZone),
    }),
  };
}

interface Library {
  readonly name: string;
  readonly needs: readonly string[];
  readonly command: Command;
  readonly probe?: Probe;
  readonly compile?: Command;
  readonly printsTimes?: boolean;
}

function javaReader(name: string, main: string, classes: string): Library {
  return {
    name,
    needs: ['java', 'javac', ...(main === 'ReadZipCommons' ? [COMMONS_COMPRESS] : [])],
    command: ['java', '-XX:+UseSerialGC', '-cp', `${classes}:${COMMONS_COMPRESS}`, main],
    printsTimes: true,
    compile: [
      'javac',
      '-d',
      classes,
      '-cp',
      COMMONS_COMPRESS,
      ...[main, 'Digests'].map((one) => join(PROGRAMS, `${one}.java`)),
    ],
  };
}

function libraries(scratch: string): readonly Library[] {
  const goProgram = join(scratch, 'read-zip');
  function script(extension: string): string {
    return join(PROGRAMS, `read-zip.${extension}`);
  }
  return [
    {
      name: 'Python zipfile',
      needs: ['python3'],
      command: ['python3', script('py')],
    },
    {
      name: 'Perl Archive::Zip',
      needs: ['perl'],
      probe: { command: ['perl', '-MArchive::Zip', '-e', '1'], debianPackage: 'libarchive-zip-perl' },
      command: ['perl', script('pl')],
    },
    {
      name: 'Go archive/zip',
      needs: ['go'],
      command: [goProgram],
      printsTimes: true,
      compile: ['go', 'build', '-o', goProgram, script('go')],
    },
    javaReader('JDK ZipFile', 'ReadZipFile', scratch),
    javaReader('JDK ZipInputStream', 'ReadZipStream', scratch),
    javaReader('commons-compress ZipArchiveInputStream', 'ReadZipCommons', scratch),
    {
      name: 'PHP ZipArchive',
      needs: ['php'],
      probe: {
        command: ['php', '-r', 'exit(extension_loaded("zip") ? 0 : 1);'],
        debianPackage: 'php-zip',
      },
      command: ['php', script('php')],
    },
  ];
}

function libraryReader(library: Library): ArchiveReader {
  let compiled: Promise<unknown> | undefined;
  async function run(archive: string, timeZone = 'UTC') {
    const [compiler, ...compilerArgs] = library.compile ?? ['true'];
    compiled ??= runProgram(compiler, compilerArgs);
    await compiled;
    const [program, ...args] = library.command;
    return parseEntries(await runProgram(program, [...args, archive], { timeZone }));
  }
  return {
    ...library,
    keepsOrder: true,
    read: async (archive) => (await run(archive)).map(({ name, sha256 }) => ({ name, sha256 })),
    ...(library.printsTimes === true && { readTimes: run }),
  };
}

const yauzlReader: ArchiveReader = {
  name: 'yauzl',
  needs: [],
  keepsOrder: true,
  read: async (path) => {
    const archive = await yauzl.openPromise(path);
    const entries: ReadEntry[] = [];
    for await (const entry of archive.eachEntry())
      entries.push({
        name: entry.fileName,
        sha256: await sha256OfStream(await archive.openReadStreamPromise(entry)),
      });
    return entries;
  },
};

/** Every reader; their output is in the scratch directory, which the caller deletes. */
export function archiveReaders(scratch: string): readonly ArchiveReader[] {
  return [
    ...EXTRACTORS.map((extractor) => extractorReader(extractor, scratch)),
    ...libraries(scratch).map(libraryReader),
    yauzlReader,
  ];
}
