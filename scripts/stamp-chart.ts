/**
 * Writes the chart of a release: its default values name the registry and the digests of the images, its links lead to
 * the repository and the tag, and its annotations are those of Artifact Hub.
 * `node scripts/stamp-chart.ts FOLDER REGISTRY DIGESTS OWNER/REPO`, where DIGESTS is a folder with a file per image that
 * contains its digest.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument, stringify } from 'yaml';

const CHART = join(import.meta.dirname, '../charts/zipjobs');
const CHANGELOG = join(import.meta.dirname, '../CHANGELOG.md');
const IMAGES = ['api', 'controller', 'dashboard', 'zipper'] as const;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
/** The files that have links to the repository. Templates compare values with the placeholder, so they keep it. */
const LINKING = ['Chart.yaml', 'values.yaml', 'README.md'];
/** An owner and a repository of GitHub. */
const REPOSITORY = /^([A-Za-z0-9-]+)\/[A-Za-z0-9._-]+$/;

interface Change {
  readonly kind: string;
  readonly description: string;
}

/** The changes of a version, as Artifact Hub shows them: `- Text` below `### Added`, `### Fixed` and so on. */
function changesOf(changelog: string, version: string): readonly Change[] {
  const section = changelog.split(/^## /m).find((text) => text.split(/\s/, 1)[0] === version) ?? '';
  return section
    .split(/^### /m)
    .slice(1)
    .flatMap((part) => {
      const kind = (part.split('\n', 1)[0] ?? '').trim().toLowerCase();
      return [...part.matchAll(/^- (.+)$/gm)].map(([, description = '']) => ({ kind, description }));
    });
}

function digestOf(folder: string, name: string): string {
  const digest = readFileSync(join(folder, name), 'utf8').trim();
  if (!DIGEST.test(digest)) throw new Error(`${join(folder, name)} has no digest: "${digest}"`);
  return digest;
}

function edit(path: string, values: ReadonlyMap<readonly string[], string>): void {
  const document = parseDocument(readFileSync(path, 'utf8'));
  for (const [at, value] of values) document.setIn(at, value);
  // Comments keep their lines.
  writeFileSync(path, document.toString({ lineWidth: 0 }));
}

function versionOf(chart: string): string {
  return String(parseDocument(readFileSync(chart, 'utf8')).get('version'));
}

/** Replaces OWNER/REPO, OWNER and vVERSION, and links of the README to other files of the repository. */
function stampLinks(folder: string, repository: string): void {
  const owner = REPOSITORY.exec(repository)?.[1];
  if (owner === undefined) throw new Error(`"${repository}" is not a repository, such as acme/zipjobs`);
  const tag = `v${versionOf(join(folder, 'Chart.yaml'))}`;
  for (const file of LINKING) {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8')
      .replaceAll('](../../', '](https://github.com/OWNER/REPO/blob/vVERSION/')
      .replaceAll('](examples', '](https://github.com/OWNER/REPO/blob/vVERSION/charts/zipjobs/examples')
      .replaceAll('OWNER/REPO', repository)
      .replaceAll('OWNER', owner)
      .replaceAll('vVERSION', tag);
    writeFileSync(path, text);
  }
}

/** `digests` is the folder of the digests. */
function stampImages(folder: string, registry: string, digests: string): void {
  const byName = new Map(IMAGES.map((name) => [name, digestOf(digests, name)] as const));
  edit(
    join(folder, 'values.yaml'),
    new Map<readonly string[], string>([
      [['image', 'registry'], registry],
      ...[...byName].map(([name, digest]) => [[name, 'image', 'digest'], digest] as const),
    ]),
  );
  const chart = join(folder, 'Chart.yaml');
  const version = versionOf(chart);
  const images = [...byName].map(([name, digest]) => ({
    name: `zipjobs-${name}`,
    image: `${registry}/zipjobs-${name}:${version}@${digest}`,
    platforms: ['linux/amd64', 'linux/arm64'],
  }));
  edit(
    chart,
    new Map([
      [['annotations', 'artifacthub.io/images'], stringify(images)],
      [
        ['annotations', 'artifacthub.io/changes'],
        stringify(changesOf(readFileSync(CHANGELOG, 'utf8'), version)),
      ],
    ]),
  );
}

const [folder, registry, digests, repository] = process.argv.slice(2);
if (folder === undefined || registry === undefined || digests === undefined || repository === undefined)
  throw new Error('Usage: node scripts/stamp-chart.ts FOLDER REGISTRY DIGESTS OWNER/REPO');
cpSync(CHART, folder, { recursive: true });
stampLinks(folder, repository);
stampImages(folder, registry, digests);
