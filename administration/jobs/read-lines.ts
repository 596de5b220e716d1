import type { FileEntry, ListedFile } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import { isDataUrl } from '#runtime/entries/data-url.ts';
import { readJsonObject } from '#runtime/kube/client/decode.ts';
import { ENTRY_FIELDS, type EntryField } from '#runtime/zip-request/entry-faults.ts';
import { sourceHeadersProblem } from '#runtime/zip-request/source-headers.ts';

/** The files of a list of `URL [name]`, one a line. */
export interface ReadLines<File extends FileEntry = FileEntry> {
  readonly files: readonly File[];
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

function* numberedLines(text: string): Generator<readonly [line: string, number: number], void, undefined> {
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line !== '') yield [line, index + 1];
  }
}

/** Splits a line at its first space: URLs contain none, names may. */
function readLine(line: string, number: number): FileEntry {
  const [, url = '', name = ''] = /^(\S+)(.*)$/s.exec(line) ?? [];
  return { url, filename: name.trim() || nameOf(url, number) };
}

export function readLines(text: string): ReadLines {
  const all = [...numberedLines(text)];
  return {
    files: all.map(([line, number]) => readLine(line, number)),
    lines: all.map(([, number]) => number),
  };
}

/** A line that is no entry. */
export interface LineFault {
  /** From 1. */
  readonly line: number;
  /** Null for the line as a whole. */
  readonly field: EntryField | null;
  /** The end of a sentence. Contains no value of the line. */
  readonly problem: string;
}

type ReadEntry =
  | { readonly file: ListedFile }
  | { readonly field: EntryField | null; readonly problem: string };

/** The rules for new jobs check the values of the other fields, whatever their types. */
function readObject(line: string, number: number): ReadEntry {
  const entry = readJsonObject(line);
  if (entry === undefined)
    return { field: null, problem: 'starts with { and is not a JSON object on one line' };
  if (!Object.keys(entry).every((name) => ENTRY_FIELDS.some((field) => field === name)))
    return { field: null, problem: `has an unknown field. The fields are ${ENTRY_FIELDS.join(', ')}` };
  const { url, filename, headers, content_type: contentType, ...stated } = entry;
  if (typeof url !== 'string') return { field: 'url', problem: 'is missing or not a string' };
  if (filename !== undefined && typeof filename !== 'string')
    return { field: 'filename', problem: 'is not a string' };
  const problem = headers === undefined ? undefined : sourceHeadersProblem(headers);
  if (problem !== undefined) return { field: 'headers', problem };
  const name = filename ?? nameOf(url, number);
  return { file: { ...stated, ...defined({ headers, contentType }), url, filename: name } as ListedFile };
}

/** The files of a list whose lines are each `URL [name]` or a JSON object, as an entry of `urls` in a request. */
export function readFileList(
  text: string,
): ReadLines<ListedFile> & { readonly faults: readonly LineFault[] } {
  const files: ListedFile[] = [];
  const lines: number[] = [];
  const faults: LineFault[] = [];
  for (const [line, number] of numberedLines(text)) {
    const read = line.startsWith('{') ? readObject(line, number) : { file: readLine(line, number) };
    if ('problem' in read) {
      faults.push({ line: number, ...read });
      continue;
    }
    files.push(read.file);
    lines.push(number);
  }
  return { files, lines, faults };
}
