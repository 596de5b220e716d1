import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, readdir, readFile, rm } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { BuildCosts } from './build-estimate.ts';
import { ClusterError } from './cluster-error.ts';

/** A program that is built from a folder with a go.mod. */
export interface GoProgram {
  /** Its name in the cache. */
  readonly name: string;
  readonly what: string;
  readonly folder: string;
  /** A folder whose go.mod and go.sum replace those of `folder`. */
  readonly module?: string;
  /** Files of `folder` that are not part of the program. */
  readonly without?: readonly string[];
  /** Build tags. */
  readonly tags?: readonly string[];
  /** The package of a module that the folder only requires, as a tool. Default: the folder itself. */
  readonly package?: string;
  /** Packages that run rarely or mostly wait. They are compiled without inlining, which takes a third less time. */
  readonly coldPackages: readonly string[];
  /** Expected cost of the build. */
  readonly costs: BuildCosts;
}

const KUBERNETES_MODULE = /k8s\.io\/kubernetes v(\d+)\.(\d+)\.(\d+)/;
const GIBIBYTE = 2 ** 30;
/** These programs are not debugged, and stack traces need no DWARF. */
const COMPILER_FLAGS = '-dwarf=false';
const run = promisify(execFile);

function packageOf({ package: path = '.' }: GoProgram): string {
  return path;
}

/** Creates a folder with the program and its vendored modules, without the files that it omits. */
export async function prepareSource(program: GoProgram, directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
  await copySource(program, directory);
  await run('go', ['mod', 'vendor'], { cwd: directory, env: goEnvironment('') });
  await leaveOut(directory);
}

/** Creates a folder with the program's own files. */
export async function copySource(program: GoProgram, directory: string): Promise<void> {
  await cp(program.folder, directory, { recursive: true });
  for (const name of program.without ?? []) await rm(join(directory, name));
  if (program.module !== undefined) await cp(program.module, directory, { recursive: true });
}

/**
 * Removes the files listed in left-out.txt from the vendored modules, and adds the replacements from _instead.
 * @throws ClusterError if a file does not exist, because a new version of the module has moved it
 */
async function leaveOut(directory: string): Promise<void> {
  const vendor = join(directory, 'vendor');
  const lines = (await readFile(join(directory, 'left-out.txt'), 'utf8')).split('\n');
  const modules = await vendoredModules(vendor);
  for (const line of lines.filter((line) => line !== '' && !line.startsWith('#'))) {
    // A program without helm has none of its modules.
    if (!modules.some((name) => line.startsWith(`${name}/`))) continue;
    const path = join(vendor, line);
    try {
      if (line.endsWith('/')) await removeGoFiles(path);
      else await rm(path);
    } catch (cause) {
      throw new ClusterError(`left-out.txt names ${line}, which the vendored modules do not contain.`, {
        cause,
      });
    }
  }
  const replacements = join(directory, '_instead');
  if (existsSync(replacements)) await cp(replacements, vendor, { recursive: true });
}

async function vendoredModules(vendor: string): Promise<readonly string[]> {
  const file = join(vendor, 'modules.txt');
  // Go writes none for a program without dependencies.
  if (!existsSync(file)) return [];
  const text = await readFile(file, 'utf8');
  return [...text.matchAll(/^# (\S+) v/gm)].map(([, name = '']) => name);
}

async function removeGoFiles(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.go'));
  await Promise.all(names.map((name) => rm(join(folder, name))));
}

/** The packages that are not in Go's build cache, in the order of their imports. */
export async function packagesToCompile(program: GoProgram, directory: string): Promise<string[]> {
  const format =
    '{{if and .Stale (ne .StaleReason "not installed but available in build cache")}}{{.ImportPath}}{{end}}';
  const { stdout } = await run(
    'go',
    ['list', '-deps', '-f', format, ...compilerFlags(program), packageOf(program)],
    {
      cwd: directory,
      env: goEnvironment('-mod=vendor'),
      maxBuffer: 1 << 26,
    },
  );
  return stdout.trim().split('\n');
}

/** @throws ClusterError with the output of the compiler */
export async function compileProgram(
  program: GoProgram,
  at: { readonly directory: string; readonly output: string; readonly graph?: string },
  onPackage: (name: string) => void,
): Promise<void> {
  const linkerFlags = `-s -w ${await versionStamp(at.directory)}`.trim();
  const graph = at.graph === undefined ? [] : [`-debug-actiongraph=${at.graph}`];
  const args = [
    'build',
    '-v',
    ...compilerFlags(program),
    '-ldflags',
    linkerFlags,
    ...graph,
    '-o',
    at.output,
    packageOf(program),
  ];
  const child = spawn('go', args, {
    cwd: at.directory,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...goEnvironment('-mod=vendor'), ...compilerMemory() },
  });
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const complaints: string[] = [];
  // `go build -v` prints each package on its own line. A line with a space is a message.
  for await (const line of createInterface({ input: child.stderr })) {
    if (line.includes(' ')) complaints.push(line);
    else onPackage(line);
  }
  const code = await exited;
  if (code !== 0)
    throw new ClusterError(`go build ended with code ${code}:\n${complaints.slice(-30).join('\n')}`);
}

function compilerFlags(program: GoProgram): string[] {
  const cold = program.coldPackages.map((pattern) => `-gcflags=${pattern}=${COMPILER_FLAGS} -l`);
  const tags = program.tags === undefined ? [] : [`-tags=${program.tags.join(',')}`];
  return ['-trimpath', ...tags, `-gcflags=all=${COMPILER_FLAGS}`, ...cold];
}

export function goEnvironment(flags: string): NodeJS.ProcessEnv {
  // Without C, a program runs on any Linux, so that one machine can build it for others. A module may need a newer Go than
  // the installed one, which Go then fetches as a module. Some distributions turn that off.
  return { GOTOOLCHAIN: 'auto', ...process.env, CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: flags };
}

/**
 * A compiler process is short-lived, so garbage collection would waste a fifth of the build time. All compilers
 * together may use half of the memory.
 */
function compilerMemory(): NodeJS.ProcessEnv {
  const constrained = process.constrainedMemory();
  const memory = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  const each = Math.min(2 * GIBIBYTE, Math.floor(memory / 2 / availableParallelism()));
  return { GOGC: 'off', GOMEMLIMIT: String(each) };
}

/** helm and kubectl compare versions. Without this stamp, the server reports v0.0.0. */
async function versionStamp(folder: string): Promise<string> {
  const [, major, minor, patch] =
    KUBERNETES_MODULE.exec(await readFile(join(folder, 'go.mod'), 'utf8')) ?? [];
  if (major === undefined) return '';
  function set(name: string, value: string): string {
    return `-X k8s.io/component-base/version.${name}=${value}`;
  }
  const version = set('gitVersion', `v${major}.${minor}.${patch}`);
  return [version, set('gitMajor', major), set('gitMinor', minor ?? ''), set('gitTreeState', 'clean')].join(
    ' ',
  );
}
