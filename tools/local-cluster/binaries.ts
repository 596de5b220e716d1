import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { ClusterError } from './cluster-error.ts';
import type { Log } from './cluster-types.ts';

/** The programs that a local cluster is made of. */
export interface Binaries {
  /** etcd, the control plane, kubectl and helm; the first argument says which. */
  readonly cluster: string;
  /** versitygw, an S3 server over a folder. */
  readonly store: string;
}

interface Recipe {
  readonly name: 'cluster' | 'store';
  readonly what: string;
  readonly folder: string;
  readonly target: string;
  readonly ldflags: string;
}

const KUBERNETES_MODULE = /k8s\.io\/kubernetes v(\d+)\.(\d+)\.(\d+)/;
const PROGRESS_EVERY_MS = 5_000;
const run = promisify(execFile);

/**
 * Finds both programs, building them once per set of versions into `$XDG_CACHE_HOME/zipjobs`. A first build takes
 * minutes, so `log` gets a line every few seconds.
 *
 * @throws ClusterError when Go is missing and no ready-made programs are named, or when a build fails.
 */
export async function ensureBinaries(log: Log, env: NodeJS.ProcessEnv = process.env): Promise<Binaries> {
  if (process.platform !== 'linux') {
    throw new ClusterError(
      'The local cluster needs Linux: its pods live on addresses of 127.0.0.0/8. Run it in a Linux VM.',
    );
  }
  const cluster = await ensureBinary(clusterRecipe(), log, env);
  const store = await ensureBinary(storeRecipe(), log, env);
  return { cluster, store };
}

function clusterRecipe(): Recipe {
  const what = 'control plane, kubectl and helm';
  return { name: 'cluster', what, folder: join(import.meta.dirname, 'go'), target: '.', ldflags: '-s -w' };
}

function storeRecipe(): Recipe {
  const target = 'github.com/versity/versitygw/cmd/versitygw';
  return {
    name: 'store',
    what: 'S3 server',
    folder: join(import.meta.dirname, 'go-store'),
    target,
    ldflags: '-s -w',
  };
}

async function ensureBinary(recipe: Recipe, log: Log, env: NodeJS.ProcessEnv): Promise<string> {
  const variable = `ZIPJOBS_${recipe.name.toUpperCase()}_BINARY`;
  const given = env[variable];
  if (given !== undefined && given !== '') {
    if (!(await exists(given))) throw new ClusterError(`${variable} names ${given}, which is not there.`);
    return given;
  }
  const cache = env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const path = join(cache, 'zipjobs', await versionsHash(recipe.folder), recipe.name);
  if (await exists(path)) return path;
  await requireGo(recipe);
  await build(recipe, path, log);
  return path;
}

/** Changes with the versions that are pinned and with the program around them. */
async function versionsHash(folder: string): Promise<string> {
  const hash = createHash('sha256');
  const names = await readdir(folder, { recursive: true });
  for (const name of names.filter((name) => /\.(go|mod|sum)$/.test(name)).sort()) {
    hash.update(name).update(await readFile(join(folder, name)));
  }
  return hash.digest('hex').slice(0, 16);
}

async function requireGo(recipe: Recipe): Promise<void> {
  try {
    await run('go', ['version'], { cwd: recipe.folder });
  } catch (cause) {
    throw new ClusterError(
      `The ${recipe.what} of the local cluster must be built once, and the go command does not work here. ` +
        'Install Go 1.25 or newer (https://go.dev/dl), or name ready-made programs in ZIPJOBS_CLUSTER_BINARY and ' +
        'ZIPJOBS_STORE_BINARY.',
      { cause },
    );
  }
}

async function build(recipe: Recipe, path: string, log: Log): Promise<void> {
  const started = Date.now();
  const seconds = (): string => `${Math.round((Date.now() - started) / 1000)} s`;
  let step = 'fetching Go modules';
  log(`Building the ${recipe.what} (once; minutes on a small machine)`);
  const ticker = setInterval(() => log(`  ${seconds()}: ${step}`), PROGRESS_EVERY_MS);
  // A build that was cut off must never look like a finished one.
  const unfinished = `${path}.${process.pid}`;
  try {
    await mkdir(join(path, '..'), { recursive: true });
    const list = await run('go', ['list', '-deps', recipe.target], {
      cwd: recipe.folder,
      maxBuffer: 1 << 26,
    });
    const packages = list.stdout.trim().split('\n');
    const flags = `${recipe.ldflags} ${await versionStamp(recipe.folder)}`.trim();
    let compiled = 0;
    step = 'compiling and linking';
    await compile(['build', '-v', '-trimpath', '-ldflags', flags, '-o', unfinished, recipe.target], {
      folder: recipe.folder,
      onPackage: (name) => {
        compiled += 1;
        step = `compiling, ${compiled} of at most ${packages.length} packages`;
        if (name === packages.at(-1)) step = 'linking';
      },
    });
    await rename(unfinished, path);
    log(`Built ${path} in ${seconds()}`);
  } catch (cause) {
    if (cause instanceof ClusterError) throw cause;
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new ClusterError(`Building the ${recipe.what} in ${recipe.folder} failed: ${detail}`, { cause });
  } finally {
    clearInterval(ticker);
    await rm(unfinished, { force: true });
  }
}

/** helm and kubectl compare versions; without the stamp the server calls itself v0.0.0. */
async function versionStamp(folder: string): Promise<string> {
  const [, major, minor, patch] =
    KUBERNETES_MODULE.exec(await readFile(join(folder, 'go.mod'), 'utf8')) ?? [];
  if (major === undefined) return '';
  const set = (name: string, value: string): string => `-X k8s.io/component-base/version.${name}=${value}`;
  const version = set('gitVersion', `v${major}.${minor}.${patch}`);
  return [version, set('gitMajor', major), set('gitMinor', minor ?? ''), set('gitTreeState', 'clean')].join(
    ' ',
  );
}

async function compile(
  args: readonly string[],
  options: { readonly folder: string; readonly onPackage: (name: string) => void },
): Promise<void> {
  // Without C a program runs on any Linux, so that one machine can build it for others.
  const env = { ...process.env, CGO_ENABLED: '0' };
  const child = spawn('go', args, { cwd: options.folder, stdio: ['ignore', 'ignore', 'pipe'], env });
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const complaints: string[] = [];
  // `go build -v` names each package on a line of its own; anything with a space is a message.
  for await (const line of createInterface({ input: child.stderr })) {
    if (line.includes(' ')) complaints.push(line);
    else options.onPackage(line);
  }
  const code = await exited;
  if (code !== 0)
    throw new ClusterError(`go ${args[0]} ended with code ${code}:\n${complaints.slice(-30).join('\n')}`);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
