import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { limitFolder } from '../limit-folder.ts';
import type { Log } from '../local-cluster/cluster-types.ts';
import { writeBaseImage } from './base-image.ts';
import { SANDBOX_IMAGE } from './node-files.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '..', '..');
/** The images of one version need less than 1 GiB. buildah keeps the layers of every build. */
const LAYERS_LIMIT_MIB = 3072;
/** An image takes seconds, and minutes if npm must download every package. */
const BUILD_LIMIT_MS = 15 * 60_000;
const BUILD_OPTIONS = ['--isolation', 'chroot', '--layers', '--pull-never'];
const BASE_IMAGE = 'localhost/zipjobs-base:1';

/** The registry and the tag of the built images. Nothing is pushed there. */
export const REGISTRY = 'registry.zipjobs.test';
export const IMAGE_TAG = 'built';

/** Our images with their targets in the Dockerfile. */
export const IMAGES: Readonly<Record<string, string>> = {
  'zipjobs-api': 'api',
  'zipjobs-controller': 'controller',
  'zipjobs-dashboard': 'dashboard',
  'zipjobs-zipper': 'zipper',
};

/** The S3 server of the local cluster as an image, with the arguments of its publisher's image. */
export const STORE_IMAGE = `${REGISTRY}/versitygw:${IMAGE_TAG}`;

interface ImageOptions {
  /** Keeps layers and archives between runs. */
  readonly cache: string;
  /** Folder of this run. */
  readonly dir: string;
  /** The program of the S3 server. */
  readonly store: string;
}

/**
 * Builds our images from the Dockerfile, without Docker, the image that holds the namespaces of a pod, and that of an S3 server.
 * @returns an archive for `ctr images import`, which the cache keeps until an image changes
 */
export async function buildImages({ cache, dir, store }: ImageOptions, log: Log): Promise<string> {
  const layers = join(cache, 'layers');
  const buildah = createBuildah(layers, dir);
  await mkdir(layers, { recursive: true, mode: 0o700 });
  // Forced, because containers of killed builds may still use some of the images.
  function clear(): Promise<string> {
    return buildah(['rmi', '--all', '--force']);
  }
  const what = 'layers of earlier builds';
  await limitFolder({ folder: layers, what, limitMib: LAYERS_LIMIT_MIB, clear }, log);
  await buildBase(buildah, dir);
  await buildStore(buildah, join(dir, 'store-image'), store);
  for (const [name, target] of Object.entries(IMAGES)) {
    log(`Building ${name}`);
    await buildah([
      'bud',
      ...BUILD_OPTIONS,
      ...(await buildVolumes()),
      '--build-arg',
      `NODE_IMAGE=${BASE_IMAGE}`,
      '--target',
      target,
      '--tag',
      `${REGISTRY}/${name}:${IMAGE_TAG}`,
      ROOT,
    ]);
  }
  const ours = Object.keys(IMAGES).map((name) => `${REGISTRY}/${name}:${IMAGE_TAG}`);
  const names = [...ours, SANDBOX_IMAGE, STORE_IMAGE];
  const ids = await buildah([
    'images',
    '--format',
    '{{.ID}} {{.Name}}:{{.Tag}}',
    '--filter',
    'dangling=false',
  ]);
  const archive = join(cache, `${createHash('sha256').update(ids).digest('hex').slice(0, 16)}.tar`);
  if (existsSync(archive)) return archive;
  log('Writing the archive of the images');
  await removeArchives(cache);
  const layout = join(dir, 'images');
  for (const name of names) await buildah(['push', '--disable-compression', name, `oci:${layout}:${name}`]);
  await run('tar', ['-cf', `${layout}.tar`, '-C', layout, '.']);
  await rm(layout, { recursive: true });
  // An interrupted copy must never look complete.
  await copyFile(`${layout}.tar`, `${archive}.new`);
  await rename(`${archive}.new`, archive);
  return archive;
}

async function removeArchives(cache: string): Promise<void> {
  const old = (await readdir(cache)).filter((name) => /\.tar(\.new)?$/.test(name));
  await Promise.all(old.map((name) => rm(join(cache, name))));
}

/** Returns the output. */
type Buildah = (args: readonly string[]) => Promise<string>;

/** Layers are kept; what changes during a build is in `dir`. */
function createBuildah(layers: string, dir: string): Buildah {
  const places = ['--root', layers, '--runroot', join(dir, 'buildah'), '--storage-driver', 'overlay'];
  return async (args) => {
    const env = { ...process.env, TMPDIR: dir };
    const options = { maxBuffer: 1 << 26, env, timeout: BUILD_LIMIT_MS };
    return (await run('buildah', [...places, ...args], options)).stdout;
  };
}

async function buildBase(buildah: Buildah, dir: string): Promise<void> {
  const folder = join(dir, 'base');
  await writeBaseImage(join(folder, 'root'));
  await writeFile(
    join(folder, 'Dockerfile'),
    'FROM scratch\nCOPY root /\nENV PATH=/usr/local/bin:/usr/bin:/bin\n',
  );
  await writeFile(
    join(folder, 'Dockerfile.sandbox'),
    `FROM ${BASE_IMAGE}\nENTRYPOINT ["sleep", "infinity"]\n`,
  );
  const options = [...BUILD_OPTIONS, '--timestamp', '0'];
  await buildah(['bud', ...options, '--tag', BASE_IMAGE, folder]);
  await buildah([
    'bud',
    ...options,
    '--file',
    join(folder, 'Dockerfile.sandbox'),
    '--tag',
    SANDBOX_IMAGE,
    folder,
  ]);
  await rm(folder, { recursive: true });
}

/** The program is static. */
async function buildStore(buildah: Buildah, folder: string, program: string): Promise<void> {
  await mkdir(folder);
  // With the same times, the layer is the same.
  await cp(program, join(folder, 'versitygw'), { preserveTimestamps: true });
  await writeFile(
    join(folder, 'Dockerfile'),
    'FROM scratch\nCOPY versitygw /versitygw\nENTRYPOINT ["/versitygw"]\n',
  );
  await buildah(['bud', ...BUILD_OPTIONS, '--timestamp', '0', '--tag', STORE_IMAGE, folder]);
  await rm(folder, { recursive: true });
}

/** npm's cache, and the user's settings for a registry. Neither becomes part of an image. */
async function buildVolumes(): Promise<string[]> {
  const { stdout } = await run('npm', ['config', 'get', 'cache']);
  const settings = join(homedir(), '.npmrc');
  await mkdir(stdout.trim(), { recursive: true });
  return [
    '--volume',
    `${stdout.trim()}:/root/.npm`,
    ...(existsSync(settings) ? ['--volume', `${settings}:/root/.npmrc:ro`] : []),
  ];
}

/** Creates the folder that keeps the layers of images between runs, and returns its path. */
export async function imageCache(): Promise<string> {
  const path = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'zipjobs', 'images');
  await mkdir(path, { recursive: true });
  return path;
}
