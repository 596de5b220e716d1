/**
 * Compares the Dockerfile, `engines` of package.json and docs/release.md with .node-version, and fails if they differ. With
 * `--write`, writes the Dockerfile and the page. Imports no package, so that a workflow can run it without installing any.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  fitsEngines,
  nodeVersionText,
  parseNodeVersion,
  withDocumented,
  withImage,
} from './node-releases.ts';

const ROOT = join(import.meta.dirname, '..');

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

export const NODE_VERSION = parseNodeVersion(read('.node-version').trim());

/** The files that name the version, with the text that they must have. */
function wantedTexts(): ReadonlyMap<string, string> {
  const version = nodeVersionText(NODE_VERSION);
  return new Map([
    ['Dockerfile', withImage(read('Dockerfile'), version)],
    ['docs/release.md', withDocumented(read('docs/release.md'), version)],
  ]);
}

/** What differs from .node-version, as sentences. */
export function nodeVersionProblems(): readonly string[] {
  const { engines } = JSON.parse(read('package.json')) as { readonly engines: { readonly node: string } };
  const version = nodeVersionText(NODE_VERSION);
  return [
    ...[...wantedTexts()].flatMap(([path, text]) =>
      read(path) === text
        ? []
        : [`${path} names another version of Node than .node-version. Run: npm run docs`],
    ),
    ...(fitsEngines(engines.node, NODE_VERSION)
      ? []
      : [`engines of package.json is ${engines.node}, which does not fit Node ${version} in .node-version`]),
  ];
}

if (import.meta.main) {
  if (process.argv.includes('--write'))
    for (const [path, text] of wantedTexts()) writeFileSync(join(ROOT, path), text);
  const problems = nodeVersionProblems();
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
