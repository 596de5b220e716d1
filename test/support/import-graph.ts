import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
/** Includes `import type`, unless only runtime imports are requested. */
const STATEMENT = /^(?:import|export)\s+(type\s)?[^'"]*?from\s+'([^']+)'|^import\s+()'([^']+)'/gm;
const DYNAMIC = /\bimport\('([^']+)'\)/g;

interface Import {
  /** Path from the root for a file of the repository, otherwise the name of the module. */
  readonly target: string;
  readonly isType: boolean;
  /** `import()`: loaded when it is called. */
  readonly isTargetGone: boolean;
}

function resolved(from: string, specifier: string): string {
  if (specifier.startsWith('#')) return specifier.slice(1);
  return specifier.startsWith('.') ? normalize(join(dirname(from), specifier)) : specifier;
}

const knownImports = new Map<string, readonly Import[]>();

/** The imports of a file of the repository; the file is a path from the root. */
export function importsOf(file: string): readonly Import[] {
  const known = knownImports.get(file) ?? readImports(file);
  knownImports.set(file, known);
  return known;
}

function readImports(file: string): readonly Import[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const named = [...text.matchAll(STATEMENT)].map(([, type, from, , bare]) => ({
    target: resolved(file, from ?? bare ?? ''),
    isType: type !== undefined,
    isTargetGone: false,
  }));
  const late = [...text.matchAll(DYNAMIC)].map(([, from = '']) => ({
    target: resolved(file, from),
    isType: false,
    isTargetGone: true,
  }));
  return [...named, ...late];
}

/** Every TypeScript file of these folders, as paths from the root. */
export function sourceFiles(...folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
      .map((name) => `${folder}/${name}`),
  );
}

function isOurs(target: string): boolean {
  return target.endsWith('.ts');
}

/**
 * All files and modules that are loaded when the file runs, with `import()` unless only the start is
 * requested.
 */
export function loadedBy(entry: string, { late = true } = {}): ReadonlySet<string> {
  const loaded = new Set([entry]);
  for (const file of loaded) {
    const runs = isOurs(file)
      ? importsOf(file).filter(({ isType, isTargetGone }) => !isType && (late || !isTargetGone))
      : [];
    for (const { target } of runs) loaded.add(target);
  }
  return loaded;
}

/**
 * A cycle of imports from a file back to itself, with types; undefined when there is none among these files.
 */
export function circleAmong(files: readonly string[]): readonly string[] | undefined {
  const done = new Set<string>();
  function walk(file: string, way: readonly string[]): readonly string[] | undefined {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const { target } of importsOf(file).filter((one) => isOurs(one.target))) {
      const circle = walk(target, [...way, file]);
      if (circle) return circle;
    }
    done.add(file);
    return undefined;
  }
  for (const file of files) {
    const circle = walk(file, []);
    if (circle) return circle;
  }
  return undefined;
}
