/**
 * Prints how large the project is, and how much of it a reader has to know: files, lines, rooms, floors, settings and chart values. A
 * room is a file or folder directly inside a folder; the floors are the longest chain of imports between rooms.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { parseSync } from 'oxc-parser';
import { isMap, parseDocument } from 'yaml';
import { countSettings } from './all-settings.ts';
import { type Floors, floorsOf } from './floors.ts';

const FOLDERS = [
  'controller',
  'api',
  'runtime',
  'dashboard',
  'administration',
  'cli',
  'zipper-image',
  'crds',
];
const GENERATED =
  /^(?:zipper-image\/validators\/|clients\/typescript\/src\/schema\.ts|charts\/zipjobs\/(?:README\.md|values\.schema\.json|crds\/)|test\/chart\/snapshots\/|docs\/metrics\.md)/;

const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n');

function textOf(path: string): string {
  return readFileSync(path, 'utf8');
}

function linesIn(paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + textOf(path).split('\n').length - 1, 0);
}

function isSource(path: string): boolean {
  return (
    FOLDERS.some((folder) => path.startsWith(`${folder}/`)) && path.endsWith('.ts') && !GENERATED.test(path)
  );
}

const source = files.filter(isSource);

/** The path of an imported file of the project; undefined for a package. */
function importedPath(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('#')) return specifier.slice(1);
  return specifier.startsWith('.') ? join(dirname(from), specifier) : undefined;
}

function importsOf(path: string): readonly string[] {
  const { module } = parseSync(path, textOf(path));
  const specifiers = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.map((entry) => entry.moduleRequest?.value ?? ''),
    ),
  ];
  return specifiers.flatMap((specifier) => importedPath(path, specifier) ?? []);
}

/** The file or folder directly inside a folder that contains a path; undefined for a path elsewhere. */
function roomOf(path: string, folder: string): string | undefined {
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1).split('/')[0] : undefined;
}

/** `inside`: the source files of the folder. */
function planOf(folder: string, inside: readonly string[]): Floors {
  const imports = new Map<string, Set<string>>();
  for (const path of inside) {
    const room = roomOf(path, folder) ?? '';
    const targets = imports.get(room) ?? new Set();
    imports.set(room, targets);
    for (const imported of importsOf(path)) {
      const target = roomOf(imported, folder);
      if (target !== undefined && inside.includes(imported)) targets.add(target);
    }
  }
  return floorsOf(imports);
}

/** Files and folders of a folder and of all folders in it. */
function roomsOf(folder: string, inside: readonly string[]): ReadonlySet<string> {
  const rooms = new Set<string>();
  for (const path of inside) for (let room = path; room !== folder; room = dirname(room)) rooms.add(room);
  return rooms;
}

/** The upward arrows of a folder and of all folders in it. */
function upwardsIn(folder: string, inside: readonly string[]): readonly string[] {
  const folders = [folder, ...roomsOf(folder, inside)].filter((room) => !room.endsWith('.ts'));
  return folders.flatMap((room) => {
    const { upwards } = planOf(
      room,
      inside.filter((path) => path.startsWith(`${room}/`)),
    );
    return upwards.map(([from, to]) => `${room}: ${from} imports ${to}, which imports it too`);
  });
}

function leavesOf(node: unknown): number {
  if (isMap(node) && node.items.length > 0)
    return node.items.reduce((sum, { value }) => sum + leavesOf(value), 0);
  return 1;
}

function row(cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |`;
}

console.log(row(['folder', 'files', 'lines', 'rooms', 'at every level', 'floors', 'arrows', 'upwards']));
console.log('|---|---|---|---|---|---|---|---|');
for (const folder of FOLDERS) {
  const inside = source.filter((path) => path.startsWith(`${folder}/`));
  const { rooms, floors, arrows } = planOf(folder, inside);
  const upwards = upwardsIn(folder, inside);
  console.log(
    row([
      folder,
      inside.length,
      linesIn(inside),
      rooms,
      roomsOf(folder, inside).size,
      floors,
      arrows,
      upwards.length,
    ]),
  );
  for (const upward of upwards) console.error(upward);
}

const tests = files.filter((path) => path.startsWith('test/') && path.endsWith('.ts'));
const generated = files.filter((path) => GENERATED.test(path));
const sql = files.filter((path) => path.endsWith('.sql'));

function short(most: number): number {
  return source.filter((path) => linesIn([path]) <= most).length;
}

const { settings, computed, unsupported } = countSettings();
const values = parseDocument(textOf('charts/zipjobs/values.yaml')).contents;

console.log(`
| | files | lines |
|---|---|---|
${row(['source', source.length, linesIn(source)])}
${row(['tests', tests.length, linesIn(tests)])}
${row(['generated', generated.length, linesIn(generated)])}
${row(['SQL', sql.length, linesIn(sql)])}

Source files of at most 20 lines: ${short(20)}; of at most 40: ${short(40)}.
Settings: ${settings.size} (${[...settings].filter((name) => name.includes('.')).length} are keys of JSON settings). Variables that no operator can change: ${computed.size}. Unsupported settings, for tests: ${unsupported.size}.
Chart values: ${leavesOf(values)}.`);
