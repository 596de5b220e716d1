/** The objects of each file in values/, compared with snapshots/. `npm run snapshots` writes the snapshots again. */
import { readdirSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { type Dashboard, shortened } from './grafana-panels.ts';
import { type KubeObject, render } from './render.ts';

const VALUES = join(import.meta.dirname, 'values');
const SNAPSHOTS = join(import.meta.dirname, 'snapshots');
/** Its snapshot has every object. The others have only what differs from it. */
const MINIMAL = 'minimal.yaml';
const HINT = 'If the change is intended, run: npm run snapshots';
const FILES = readdirSync(VALUES).toSorted();
const isUpdate = process.env['UPDATE_SNAPSHOTS'] === '1';

function titleOf({ kind, metadata: { name, namespace } }: KubeObject): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

/** The Grafana dashboard in the data of a ConfigMap, as a tree. */
function withParsedData(data: unknown): unknown {
  return Object.fromEntries(
    Object.entries(data as Readonly<Record<string, string>>).map(([key, text]) => [
      key,
      key.endsWith('.json') ? shortened(JSON.parse(text) as Dashboard) : text,
    ]),
  );
}

function contentOf(object: KubeObject): Content {
  const { apiVersion, kind, metadata } = object;
  // A test compares the definitions with crds/.
  if (kind === 'CustomResourceDefinition') return { apiVersion, kind, metadata };
  return kind === 'ConfigMap' ? { ...object, data: withParsedData(object['data']) } : object;
}

type Content = Readonly<Record<string, unknown>>;

/** By title, in the order of the titles. */
function contentsOf(objects: readonly KubeObject[]): ReadonlyMap<string, Content> {
  return new Map(
    objects
      .map((object) => [titleOf(object), contentOf(object)] as const)
      .toSorted(([a], [b]) => a.localeCompare(b)),
  );
}

function document(title: string, text: string): string {
  return `--- # ${title}\n${text}`;
}

function whole(title: string, content: Content): string {
  return document(title, stringify(content, { lineWidth: 0 }));
}

/** The path and JSON of each leaf. An item of a list that has a name is found by its name. */
function leavesOf(value: unknown, path = ''): readonly (readonly [string, string])[] {
  if (typeof value !== 'object' || value === null) return [[path, JSON.stringify(value)]];
  const entries = Object.entries(value as Readonly<Record<string, unknown>>);
  if (entries.length === 0) return [[path, JSON.stringify(value)]];
  if (!Array.isArray(value))
    return entries.flatMap(([key, item]) => leavesOf(item, path === '' ? key : `${path}.${key}`));
  return entries.flatMap(([index, item]) => {
    const name: unknown = (item as { readonly name?: unknown } | null)?.name;
    return leavesOf(item, `${path}[${typeof name === 'string' ? name : index}]`);
  });
}

/** One line for each leaf that the first lacks or has with another value, and for each that only the first has. */
function changesOf(before: Content, after: Content): string {
  const [old, now] = [new Map(leavesOf(before)), new Map(leavesOf(after))];
  const set = [...now].filter(([path, text]) => old.get(path) !== text);
  const gone = [...old.keys()].filter((path) => !now.has(path));
  return [
    ...set.map(([path, text]) => `${path}: ${text}\n`),
    ...gone.map((path) => `${path}: # removed\n`),
  ].join('');
}

function snapshotOf(contents: ReadonlyMap<string, Content>, minimal: ReadonlyMap<string, Content>): string {
  const absent = [...minimal.keys()].filter((title) => !contents.has(title));
  const parts = [...contents].map(([title, content]) => {
    const before = minimal.get(title);
    if (before === undefined) return whole(title, content);
    const changes = changesOf(before, content);
    return changes === '' ? '' : document(`${title}, changed`, changes);
  });
  return `# Compared with ${MINIMAL}\n${absent.map((title) => `# No ${title}\n`).join('')}${parts.join('')}`;
}

describe('the snapshots of the chart', function () {
  this.timeout(30 * 60_000);
  let minimal: ReadonlyMap<string, Content>;
  before(async () => {
    if (isUpdate) await mkdir(SNAPSHOTS, { recursive: true });
    minimal = contentsOf(await render({}, ['--values', join(VALUES, MINIMAL)]));
  });

  async function check(name: string): Promise<void> {
    const file = join(SNAPSHOTS, name);
    const now =
      name === MINIMAL
        ? [...minimal].map(([title, content]) => whole(title, content)).join('')
        : snapshotOf(contentsOf(await render({}, ['--values', join(VALUES, name)])), minimal);
    if (isUpdate) return writeFile(file, now);
    expect(now, HINT).to.equal(await readFile(file, 'utf8').catch(() => ''));
  }

  it('exist for each values file, and for no other', async () => {
    const stored = await readdir(SNAPSHOTS);
    const stale = stored.filter((name) => !FILES.includes(name));
    if (isUpdate) await Promise.all(stale.map((name) => rm(join(SNAPSHOTS, name))));
    else expect(stored.toSorted(), HINT).to.deep.equal(FILES);
  });

  for (const name of FILES) it(`contain what ${name} renders`, () => check(name));
});
