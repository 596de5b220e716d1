import type { FileEntry } from '#crds/zip-job.ts';
import { isDataUrl } from '#runtime/entries/data-url.ts';

/** The files of a list of `URL [name]`, one a line. */
export interface ReadLines {
  readonly files: readonly FileEntry[];
  /** Number of the line of each file, from 1: empty lines are skipped. */
  readonly lines: readonly number[];
}

/** The last part of the path of a URL; empty without one. */
function lastPart(url: string): string {
  const path = URL.parse(url)?.pathname ?? '';
  const part = path.slice(path.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** For a URL without a name. The rules for names apply to it as well. */
function nameOf(url: string, number: number): string {
  if (isDataUrl(url)) return `file-${number}.txt`;
  return lastPart(url) || `file-${number}`;
}

/** `URL` or `NAME=URL`: a name that looks like a URL is none. */
const NAMED = /^(?!(?:https?|data):)([^=]+)=(.*)$/is;

/** The files of arguments. */
export function readArguments(texts: readonly string[]): readonly FileEntry[] {
  return texts.map((text, index) => {
    const [, name = '', url = text] = NAMED.exec(text) ?? [];
    return { url, filename: name || nameOf(url, index + 1) };
  });
}

/** Splits each line at its first space: URLs contain none, names may. */
export function readLines(text: string): ReadLines {
  const files: FileEntry[] = [];
  const lines: number[] = [];
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '') continue;
    const [, url = '', name = ''] = /^(\S+)(.*)$/s.exec(line) ?? [];
    files.push({ url, filename: name.trim() || nameOf(url, index + 1) });
    lines.push(index + 1);
  }
  return { files, lines };
}
