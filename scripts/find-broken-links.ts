/** The pure part of links.ts: the links of a text to files of the repository, and the anchors of a Markdown file. */
import { posix } from 'node:path';

export interface Link {
  readonly line: number;
  /** As the text has it. */
  readonly text: string;
  /** The file or folder from the root of the repository. */
  readonly target: string;
  /** Without `#`; empty without an anchor. */
  readonly anchor: string;
}

/** Markdown without code, with the same lines. */
function withoutCode(markdown: string): string {
  let fence = '';
  return markdown
    .split('\n')
    .map((line) => {
      const [, mark = ''] = /^\s*(`{3,}|~{3,})/.exec(line) ?? [];
      if (fence === '' && mark === '') return line.replaceAll(/``.*?``|`[^`]*`/g, '');
      if (mark !== '') fence = fence === '' ? mark : '';
      return '';
    })
    .join('\n');
}

function linksBy(pattern: RegExp, text: string, targetOf: (path: string) => string): readonly Link[] {
  return text.split('\n').flatMap((content, index) =>
    [...content.matchAll(pattern)].map(([, path = '', anchor = '']) => ({
      line: index + 1,
      text: anchor === '' ? path : `${path}#${anchor}`,
      target: targetOf(path),
      anchor,
    })),
  );
}

/** Links of a Markdown file to files of the repository and to its own headings. */
export function linksOf(file: string, markdown: string): readonly Link[] {
  return linksBy(/\]\((?![a-z]+:)([^)#\s]*)#?([^)\s]*)\)/g, withoutCode(markdown), (path) =>
    path === '' ? file : posix.join(posix.dirname(file), decodeURIComponent(path)),
  );
}

/** Places in code, in templates and in what Helm prints that name a document: `docs/on-call.md#alerts`. */
export function mentionsOf(text: string): readonly Link[] {
  return linksBy(/(?<![\w/.-])(docs\/[\w/-]+\.md)(?:#([a-z0-9][\w-]*))?/g, text, (path) => path);
}

/** The anchors that GitHub gives to the headings of a Markdown file. */
export function anchorsOf(markdown: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  let isCode = false;
  for (const line of markdown.split('\n')) {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
    const [, heading] = (isCode ? null : /^#{1,6} +(.*?)\s*$/.exec(line)) ?? [];
    if (heading === undefined) continue;
    const slug = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let number = 1; anchors.has(anchor); number++) anchor = `${slug}-${number}`;
    anchors.add(anchor);
  }
  return anchors;
}
