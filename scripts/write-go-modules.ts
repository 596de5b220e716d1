/**
 * Writes go.mod and go.sum of each Kubernetes in kubernetes-versions.ts except the default: the modules that this release
 * names itself, and the Go that it is built with. `go mod tidy` removes what the local cluster does not use. The module of
 * the default release also has helm, so Dependabot and `go get` change that one.
 */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { copySource, type GoProgram, goEnvironment } from '#tools/local-cluster/go-program.ts';
import { controlPlaneProgram } from '#tools/local-cluster/go-programs.ts';
import {
  goModuleFolder,
  KUBERNETES_VERSIONS,
  type KubernetesVersion,
} from '#tools/local-cluster/kubernetes-versions.ts';

const FILES = ['go.mod', 'go.sum'];
const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'tools/local-cluster/kubernetes');
const run = promisify(execFile);

interface Download {
  /** The folder with the sources. */
  readonly Dir: string;
}

/** go.mod of a release, before `go mod tidy`. */
function goModuleText(
  { version, staging: others = {} }: KubernetesVersion,
  its: { readonly goMod: string; readonly goVersion: string },
) {
  const [, language = ''] = /^go (\S+)$/m.exec(its.goMod) ?? [];
  const staging = [...its.goMod.matchAll(/^\s*(?:replace )?(\S+) => \.\/staging\//gm)].map(
    ([, name = '']) => name,
  );
  const release = version.replace(/^1\./, 'v0.');
  return `module cluster.zipjobs.dev

go ${language}

toolchain go${its.goVersion}

require k8s.io/kubernetes v${version}

// k8s.io/kubernetes names its staging modules at v0.0.0; these are the releases that belong to it.
replace (
${staging.map((name) => `\t${name} => ${name} ${others[name] ?? release}`).join('\n')}
)
`;
}

async function sourcesOf(version: string, workFolder: string): Promise<string> {
  const { stdout } = await run('go', ['mod', 'download', '-json', `k8s.io/kubernetes@v${version}`], {
    cwd: workFolder,
    env: goEnvironment(''),
  });
  return (JSON.parse(stdout) as Download).Dir;
}

async function writeModule(kubernetes: KubernetesVersion): Promise<void> {
  const { version } = kubernetes;
  const target = join(ROOT, goModuleFolder(kubernetes));
  const folder = await mkdtemp(join(tmpdir(), 'zipjobs-module-'));
  const directory = join(folder, 'module');
  try {
    // Outside of any module, so that no go.mod is changed.
    const sources = await sourcesOf(version, folder);
    const { module: _existing, ...program }: GoProgram = controlPlaneProgram(kubernetes);
    await copySource(program, directory);
    await rm(join(directory, 'go.sum'));
    const goMod = await readFile(join(sources, 'go.mod'), 'utf8');
    const goVersion = (await readFile(join(sources, '.go-version'), 'utf8')).trim();
    await writeFile(join(directory, 'go.mod'), goModuleText(kubernetes, { goMod, goVersion }));
    await run('go', ['mod', 'tidy'], { cwd: directory, env: goEnvironment(''), maxBuffer: 1 << 26 });
    await mkdir(target, { recursive: true });
    for (const name of FILES) await copyFile(join(directory, name), join(target, name));
    console.log(`Wrote ${goModuleFolder(kubernetes)} for Kubernetes ${version}, Go ${goVersion}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const others = KUBERNETES_VERSIONS.filter(({ role }) => role !== 'default');
for (const kubernetes of others) await writeModule(kubernetes);
const kept = new Set(others.map((kubernetes) => basename(goModuleFolder(kubernetes))));
for (const name of await readdir(FOLDER))
  if (!kept.has(name)) await rm(join(FOLDER, name), { recursive: true });
