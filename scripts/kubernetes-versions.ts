/**
 * Compares the chart, the docs and the Go modules with tools/local-cluster/kubernetes-versions.ts, and fails if they name
 * other versions of Kubernetes. With `--write`, writes the chart and the docs. With `--go-module ROLE`, prints the path of
 * the go.mod of that version as an output of a workflow. Imports no package, so that a workflow can run it without
 * installing any.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  findKubernetes,
  goModuleFolder,
  KUBERNETES_VERSIONS,
  kubernetesOf,
  minorOf,
} from '#tools/local-cluster/kubernetes-versions.ts';
import {
  goModuleVersion,
  supportTable,
  withKubeVersion,
  withOldest,
  withSupport,
} from './kubernetes-support.ts';

const ROOT = join(import.meta.dirname, '..');
const INSTALL = 'docs/install.md';
const CHART = 'charts/zipjobs/Chart.yaml';
const PAGES = ['README.md', 'charts/zipjobs/README.md', INSTALL];

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The files that name versions, with the text that they must have. */
function wantedTexts(): ReadonlyMap<string, string> {
  const oldest = minorOf(kubernetesOf('oldest').version);
  const texts = new Map(PAGES.map((path) => [path, withOldest(read(path), oldest)]));
  texts.set(INSTALL, withSupport(texts.get(INSTALL) ?? '', supportTable(KUBERNETES_VERSIONS)));
  return texts.set(CHART, withKubeVersion(read(CHART), oldest));
}

/** What differs from the list, as sentences. */
export function kubernetesVersionProblems(): readonly string[] {
  return [
    ...[...wantedTexts()].flatMap(([path, text]) =>
      read(path) === text ? [] : [`${path} differs from kubernetes-versions.ts. Run: npm run docs`],
    ),
    ...KUBERNETES_VERSIONS.flatMap((kubernetes) => {
      const path = `${goModuleFolder(kubernetes)}/go.mod`;
      const found = goModuleVersion(read(path));
      return found === kubernetes.version
        ? []
        : [
            `${path} has Kubernetes ${found}, and kubernetes-versions.ts ${kubernetes.version}. ` +
              'Run: node scripts/write-go-modules.ts',
          ];
    }),
  ];
}

function printGoModule(role: string): void {
  const kubernetes = findKubernetes(role);
  if (kubernetes === undefined) throw new Error(`kubernetes-versions.ts has no version "${role}"`);
  console.log(`go-module=${goModuleFolder(kubernetes)}/go.mod`);
}

function check(isWriting: boolean): void {
  if (isWriting) for (const [path, text] of wantedTexts()) writeFileSync(join(ROOT, path), text);
  const problems = kubernetesVersionProblems();
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}

if (import.meta.main) {
  const [command, role = ''] = process.argv.slice(2);
  if (command === '--go-module') printGoModule(role);
  else check(command === '--write');
}
