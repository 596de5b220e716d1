import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, readdir, readFile, rename, rm, utimes } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import {
  type BuildProgress,
  costOf,
  createProgress,
  estimateSeconds,
  type MachineSpeed,
  roughly,
} from './build-estimate.ts';
import { ClusterError, GoMissingError } from './cluster-error.ts';
import type { Log } from './cluster-types.ts';
import { compileProgram, type GoProgram, packagesToCompile, prepareSource } from './go-program.ts';
import { CLUSTER_PROGRAM, controlPlaneProgram, STORE_PROGRAM } from './go-programs.ts';
import { chosenKubernetes } from './kubernetes-versions.ts';
import { measureSpeed } from './machine-speed.ts';
import { removeOldPrograms } from './old-programs.ts';

/** The programs of a local cluster. */
export interface Binaries {
  /** etcd, the control plane, kubectl and helm; the first argument selects one. */
  readonly cluster: string;
  /** The same without helm, of the release of Kubernetes that `ZIPJOBS_KUBERNETES` names. */
  readonly controlPlane: string;
  /** versitygw, an S3 server that stores objects in a folder. */
  readonly store: string;
}

/** Path of a program, which may not be built yet. */
interface Place {
  readonly program: GoProgram;
  readonly path: string;
  readonly isThere: boolean;
}

const PROGRESS_EVERY_MS = 5_000;
const run = promisify(execFile);

/**
 * Finds the programs, or builds them into `$XDG_CACHE_HOME/zipjobs`, once for each set of versions. A first build
 * takes minutes, so `log` gets the expected time first, and the remaining time every few seconds.
 * @throws ClusterError if Go is missing and no prebuilt programs are set, or if a build fails
 */
export async function ensureBinaries(log: Log, env: NodeJS.ProcessEnv = process.env): Promise<Binaries> {
  if (process.platform !== 'linux') {
    throw new ClusterError(
      'The local cluster needs Linux: its pods live on addresses of 127.0.0.0/8. Run it in a Linux VM.',
    );
  }
  const { cluster, controlPlane, store } = await findPrograms(env);
  await buildMissing(withoutRepeats([cluster, controlPlane, store]), { log, env });
  return { cluster: cluster.path, controlPlane: controlPlane.path, store: store.path };
}

/**
 * Finds or builds one program, and returns its path.
 * @throws GoMissingError if Go is missing and no prebuilt program is set; ClusterError if the build fails
 */
export async function ensureProgram(
  program: GoProgram,
  log: Log,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const place = await findProgram(program, env);
  await buildMissing([place], { log, env });
  return place.path;
}

/** Expected build time of `ensureBinaries` on this machine; 0 if everything is built. */
export async function buildSeconds(
  speed: MachineSpeed,
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  const places = await findPrograms(env);
  return secondsFor(
    withoutRepeats(Object.values(places)).filter((place) => !place.isThere),
    speed,
  );
}

async function findPrograms(env: NodeJS.ProcessEnv): Promise<Record<keyof Binaries, Place>> {
  const [cluster, controlPlane, store] = await Promise.all([
    findProgram(CLUSTER_PROGRAM, env),
    findProgram(controlPlaneProgram(chosenKubernetes(env)), env),
    findProgram(STORE_PROGRAM, env),
  ]);
  return { cluster, controlPlane, store };
}

/** The control plane of the default release is the cluster program. */
function withoutRepeats(places: readonly Place[]): readonly Place[] {
  return [...new Map(places.map((place) => [place.path, place])).values()];
}

async function findProgram(program: GoProgram, env: NodeJS.ProcessEnv): Promise<Place> {
  const variable = `ZIPJOBS_${program.name.toUpperCase().replaceAll(/[-.]/g, '_')}_BINARY`;
  const given = env[variable];
  if (given !== undefined && given !== '') {
    if (!(await exists(given))) throw new ClusterError(`${variable} names ${given}, which is not there.`);
    return { program, path: given, isThere: true };
  }
  const cache = env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const path = join(cache, 'zipjobs', await versionsHash(program), program.name);
  const isThere = await exists(path);
  // The time of use, by which old versions are removed. A cache of another user may be read-only.
  if (isThere) await utimes(dirname(path), new Date(), new Date()).catch(() => undefined);
  return { program, path, isThere };
}

/** A hash of the pinned versions, the program's own source and the files that it omits. */
async function versionsHash({ folder, module, without = [] }: GoProgram): Promise<string> {
  const hash = createHash('sha256');
  for (const source of module === undefined ? [folder] : [folder, module]) {
    const names = await readdir(source, { recursive: true });
    for (const name of names.filter((name) => /\.(go|mod|sum|txt)$/.test(name)).sort())
      if (!without.includes(name)) hash.update(name).update(await readFile(join(source, name)));
  }
  return hash.digest('hex').slice(0, 16);
}

async function buildMissing(
  all: readonly Place[],
  { log, env }: { readonly log: Log; readonly env: NodeJS.ProcessEnv },
): Promise<void> {
  const places = all.filter((place) => !place.isThere);
  if (places.length === 0) return;
  await requireGo(env);
  let speed = await measureSpeed();
  const names = places.map(({ program }) => program.what).join(' and the ');
  log(`Building the ${names}: once per set of versions, about ${roughly(secondsFor(places, speed))} here`);
  log(
    `  (${speed.cores} cores; less when Go's cache holds parts of it, more when its modules must be downloaded first)`,
  );
  for (const [index, place] of places.entries()) {
    // The load of the machine may have changed.
    if (index > 0) speed = await measureSpeed();
    const secondsAfter = secondsFor(places.slice(index + 1), speed);
    await build(place, { log, speed, secondsAfter });
  }
}

function secondsFor(places: readonly Place[], speed: MachineSpeed): number {
  return places.reduce((sum, { program }) => sum + estimateSeconds(program.costs, speed), 0);
}

async function requireGo(env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await run('go', ['version'], { env });
  } catch (cause) {
    throw new GoMissingError(
      'The programs of the local cluster must be built once, and the go command does not work here. ' +
        'Install Go 1.25 or newer (https://go.dev/dl), or name ready-made programs in ZIPJOBS_CLUSTER_BINARY and ' +
        'ZIPJOBS_STORE_BINARY.',
      { cause },
    );
  }
}

interface Build {
  readonly log: Log;
  readonly speed: MachineSpeed;
  /** Expected time of the builds after this one. */
  readonly secondsAfter: number;
}

async function build({ program, path }: Place, { log, speed, secondsAfter }: Build): Promise<void> {
  const started = performance.now();
  function elapsed(): string {
    return `${Math.round((performance.now() - started) / 1000)} s`;
  }
  let step: () => string = () => 'copying the sources of its Go modules';
  const ticker = setInterval(() => log(`  ${elapsed()}: ${program.what}, ${step()}`), PROGRESS_EVERY_MS);
  // An interrupted build must never look complete.
  const output = `${path}.${process.pid}`;
  const directory = `${output}.source`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await removeLeftovers(dirname(path));
    await prepareSource(program, directory);
    const packages = await packagesToCompile(program, directory);
    const progress = createProgress(program.costs, packages);
    step = describeProgress(progress, {
      expectedSeconds: estimateSeconds(
        { ...program.costs, cpuSeconds: costOf(program.costs, packages) },
        speed,
      ),
      secondsAfter,
    });
    await compileProgram(program, { directory, output }, (name) => progress.begin(name));
    await rename(output, path);
    await removeOldPrograms(path);
    log(`Built ${path} in ${elapsed()}`);
  } catch (cause) {
    if (cause instanceof ClusterError) throw cause;
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new ClusterError(`Building the ${program.what} in ${program.folder} failed: ${detail}`, { cause });
  } finally {
    clearInterval(ticker);
    await Promise.all([output, directory].map((left) => rm(left, { recursive: true, force: true })));
  }
}

function describeProgress(
  progress: BuildProgress,
  { expectedSeconds, secondsAfter }: { readonly expectedSeconds: number; readonly secondsAfter: number },
): () => string {
  const started = performance.now();
  return () => {
    const elapsed = (performance.now() - started) / 1000;
    const left = progress.secondsLeft(elapsed, expectedSeconds);
    // The following builds are expected to be off by the same factor.
    const pace = (elapsed + left) / expectedSeconds;
    const leftInAll = roughly(left + pace * secondsAfter);
    return `${progress.packagesStarted} of ${progress.packagesToCompile} packages, about ${leftInAll} left`;
  };
}

/** Removes the files of interrupted builds: 150 MB of sources each. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = Number(/\.(\d+)(\.source)?$/.exec(name)?.[1]);
    if (Number.isInteger(pid) && !(await exists(`/proc/${pid}`)))
      await rm(join(folder, name), { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
