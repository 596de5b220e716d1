/** Fails when a link to a file of the repository leads nowhere, or its anchor is no heading. `npm run docs:check` runs it. */
import { existsSync, readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { anchorsOf, type Link, linksOf, mentionsOf } from './find-broken-links.ts';

const MARKDOWN = ['*.md', '{charts,clients,docs,test,tools}/**/*.md'];
const MENTIONS = [
  '{administration,api,cli,clients,controller,crds,dashboard,runtime,scripts,test,tools,zipper-image}/**/*.{ts,eta,yaml}',
  'charts/**/*.{yaml,tpl,txt,json}',
  'docs/*.md',
];
const EXCLUDED = [
  '**/node_modules/**',
  // Their links are examples.
  'test/unit/scripts/**',
];

const headings = new Map<string, ReadonlySet<string>>();

function hasAnchor(target: string, anchor: string): boolean {
  const anchors = headings.get(target) ?? anchorsOf(readFileSync(target, 'utf8'));
  headings.set(target, anchors);
  return anchors.has(anchor);
}

function problemOf({ target, anchor }: Link): string {
  if (!existsSync(target)) return `${target} does not exist`;
  return anchor === '' || !target.endsWith('.md') || hasAnchor(target, anchor)
    ? ''
    : `${target} has no heading with the anchor '${anchor}'`;
}

async function report(patterns: readonly string[], find: typeof linksOf): Promise<void> {
  for await (const file of glob([...patterns], { exclude: EXCLUDED }))
    for (const link of find(file, readFileSync(file, 'utf8'))) {
      const problem = problemOf(link);
      if (problem === '') continue;
      console.error(`${file}:${link.line}: ${link.text}: ${problem}`);
      process.exitCode = 1;
    }
}

await report(MARKDOWN, linksOf);
await report(MENTIONS, (_file, text) => mentionsOf(text));
