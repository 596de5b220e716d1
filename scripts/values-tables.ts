/** The tables of values in the chart's README.md, from values.yaml and its comments. */
import { isMap, isScalar, type Pair, parseDocument } from 'yaml';
import { markdownTable } from './markdown-table.ts';

/** What several of them have in common is in one table. */
const COMPONENTS: readonly string[] = ['api', 'controller', 'zipper', 'dashboard'];
const GENERAL = 'General';

interface Row {
  readonly path: string;
  /** As JSON. */
  readonly value: string;
  readonly comment: string;
}

/** A top-level value with all values below it, or the values without a section of their own. */
interface Section {
  readonly title: string;
  readonly intro: string;
  readonly rows: readonly Row[];
}

/** Empty maps are values of their own. */
function isLeaf(pair: Pair): boolean {
  return !isMap(pair.value) || pair.value.items.length === 0;
}

/** The parser joins the comment of the file with the comment of its first key. */
function lastParagraph(comment: string): string {
  return (comment.split(/\n\s*\n/).at(-1) ?? '').trim();
}

function keyOf({ key }: Pair, parent: string): { readonly name: string; readonly comment: string } {
  if (!isScalar(key)) throw new Error(`values.yaml: a key under '${parent}' is no text`);
  return { name: String(key.value), comment: key.commentBefore ?? '' };
}

function rowsOf(pairs: readonly Pair[], parent: string, first = ''): Row[] {
  return pairs.flatMap((pair, index) => {
    const { name, comment: own } = keyOf(pair, parent);
    const path = parent === '' ? name : `${parent}.${name}`;
    // The parser attaches the comment before the first key of a map to the map.
    const comment = own === '' && index === 0 ? first : own;
    if (!isLeaf(pair) && isMap(pair.value))
      return rowsOf(pair.value.items, path, pair.value.commentBefore ?? '');
    if (comment === '') throw new Error(`values.yaml: ${path} has no comment`);
    return [{ path, value: JSON.stringify(pair.value), comment: lastParagraph(comment) }];
  });
}

function sectionsOf(pairs: readonly Pair[]): readonly Section[] {
  const sections = pairs
    .filter((pair) => !isLeaf(pair))
    .map((pair) => {
      const { name, comment } = keyOf(pair, '');
      return { title: name, intro: lastParagraph(comment), rows: rowsOf([pair], '') };
    });
  const general = rowsOf(pairs.filter(isLeaf), '');
  return [{ title: GENERAL, intro: '', rows: general }, ...sections];
}

interface Shared {
  readonly suffix: string;
  readonly comment: string;
  readonly rows: ReadonlyMap<string, Row>;
}

/** Values that several components have with the same description, by the part of the path after the component. */
function sharedValues(sections: readonly Section[]): readonly Shared[] {
  const found = new Map<string, Map<string, Row>>();
  for (const { title, rows } of sections.filter((section) => COMPONENTS.includes(section.title)))
    for (const row of rows) {
      const id = JSON.stringify([row.path.slice(title.length + 1), row.comment]);
      found.set(id, new Map([...(found.get(id) ?? []), [title, row]]));
    }
  return [...found]
    .filter(([, rows]) => rows.size > 1)
    .map(([id, rows]) => {
      const [suffix, comment] = JSON.parse(id) as [string, string];
      return { suffix, comment, rows };
    });
}

function defaultsOf({ rows }: Shared): string {
  const values = new Set([...rows.values()].map(({ value }) => value));
  if (values.size === 1) return `\`${[...values][0]}\``;
  return [...rows].map(([component, { value }]) => `${component}: \`${value}\``).join(', ');
}

function sharedTable(shared: readonly Shared[]): string {
  return markdownTable(
    ['Value', 'Components', 'Default', 'Description'],
    shared.map((one) => [
      `\`COMPONENT.${one.suffix}\``,
      [...one.rows.keys()].join(', '),
      defaultsOf(one),
      one.comment,
    ]),
  );
}

function sectionText({ title, intro, rows }: Section): string {
  const table = markdownTable(
    ['Value', 'Default', 'Description'],
    rows.map(({ path, value, comment }) => [`\`${path}\``, `\`${value}\``, comment]),
  );
  return [`### ${title}`, intro.replaceAll(/\s*\n\s*/g, ' '), table]
    .filter((part) => part !== '')
    .join('\n\n');
}

/**
 * A table for each top-level value, and one for what several components share.
 * @throws Error when a value has no comment.
 */
export function valuesTables(yaml: string): string {
  const { contents } = parseDocument(yaml);
  if (!isMap(contents)) throw new Error('values.yaml is no map');
  const sections = sectionsOf(contents.items as Pair[]);
  const shared = sharedValues(sections);
  const isShared = new Set(shared.flatMap(({ rows }) => [...rows.values()].map(({ path }) => path)));
  const own = sections.map((section) => ({
    ...section,
    rows: section.rows.filter(({ path }) => !isShared.has(path)),
  }));
  const [general, ...others] = own.map(sectionText);
  const common = `### Common values of components\n\nEach component has its own value of these.\n\n${sharedTable(shared)}`;
  return [general, common, ...others].join('\n\n');
}
