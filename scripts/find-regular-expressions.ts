/** Finds the regular expressions in a source file: literals, `new RegExp(...)`, and the patterns of JSON Schemas. */
import { glob, readFile } from 'node:fs/promises';
import { type Expression, parseSync, Visitor } from 'oxc-parser';
import { SOURCE_HEADER_NAME_PATTERN } from '#runtime/zip-request/source-headers.ts';

export interface RegularExpression {
  readonly path: string;
  readonly line: number;
  readonly source: string;
  readonly flags: string;
}

type Constants = ReadonlyMap<string, Expression>;

/** The text of a constant expression; undefined if it is not constant within its file. */
function textOf(node: Expression | undefined, constants: Constants): string | undefined {
  if (node?.type === 'Identifier') return textOf(constants.get(node.name), constants);
  if (node?.type === 'TaggedTemplateExpression') return templateText(node.quasi, 'raw', constants);
  if (node?.type === 'TemplateLiteral') return templateText(node, 'cooked', constants);
  return node?.type === 'Literal' && node.value !== null ? String(node.value) : undefined;
}

function templateText(
  { quasis, expressions }: Expression & { readonly type: 'TemplateLiteral' },
  form: 'raw' | 'cooked',
  constants: Constants,
): string | undefined {
  const values = expressions.map((one) => textOf(one, constants));
  if (values.includes(undefined)) return undefined;
  return quasis.map(({ value }, index) => `${value[form] ?? ''}${values[index] ?? ''}`).join('');
}

function constantsOf(program: ReturnType<typeof parseSync>['program']): Constants {
  const constants = new Map<string, Expression>();
  new Visitor({
    VariableDeclarator: ({ id, init }) => {
      if (id.type === 'Identifier' && init) constants.set(id.name, init);
    },
  }).visit(program);
  return constants;
}

/** All expressions of a file, and the lines of those that it builds from more than constants. */
export function findRegularExpressions(
  path: string,
  text: string,
): { readonly found: readonly RegularExpression[]; readonly unknown: readonly string[] } {
  const { program } = parseSync(path, text);
  const constants = constantsOf(program);
  const found: RegularExpression[] = [];
  const unknown: string[] = [];
  function lineOf({ start }: Expression): number {
    return text.slice(0, start).split('\n').length;
  }
  function note(node: Expression, flags: string): void {
    const source = textOf(node, constants);
    if (source === undefined) unknown.push(text.slice(node.start, node.end));
    else found.push({ path, line: lineOf(node), source, flags });
  }
  new Visitor({
    Literal: (node) => {
      if ('regex' in node)
        found.push({ path, line: lineOf(node), source: node.regex.pattern, flags: node.regex.flags });
    },
    NewExpression: ({ callee, arguments: [source, flags] }) => {
      if (callee.type !== 'Identifier' || callee.name !== 'RegExp' || source === undefined) return;
      if (source.type !== 'SpreadElement' && flags?.type !== 'SpreadElement')
        note(source, textOf(flags, constants) ?? '');
    },
    Property: ({ key, value }) => {
      if (key.type === 'Identifier' && key.name === 'pattern' && value.type !== 'Identifier')
        note(value as Expression, 'u');
    },
    VariableDeclarator: ({ id, init }) => {
      if (id.type === 'Identifier' && id.name.endsWith('_PATTERN') && init) note(init, 'u');
    },
  }).visit(program);
  return { found, unknown };
}

const FOLDERS = '{administration,api,cli,controller,crds,dashboard,runtime,zipper-image}/**/*.ts';

/** Expressions that their files build at start. */
const BUILT: readonly RegularExpression[] = [
  { path: 'runtime/zip-request/source-headers.ts', line: 1, source: SOURCE_HEADER_NAME_PATTERN, flags: 'u' },
];

function toText({ source, flags }: RegularExpression): string {
  return `/${source}/${flags}`;
}

/** Every expression of the processes, once. @throws Error if a file builds one that is not known */
export async function readRegularExpressions(): Promise<readonly RegularExpression[]> {
  const all = new Map(BUILT.map((one) => [toText(one), one]));
  const paths: string[] = [];
  for await (const path of glob(FOLDERS)) paths.push(path);
  for (const path of paths.toSorted()) {
    const { found, unknown } = findRegularExpressions(path, await readFile(path, 'utf8'));
    for (const one of found) if (!all.has(toText(one))) all.set(toText(one), one);
    if (unknown.length > 0 && !BUILT.some((one) => one.path === path))
      throw new Error(`${path} builds a regular expression from more than constants: ${unknown.join(', ')}`);
  }
  return [...all.values()];
}
