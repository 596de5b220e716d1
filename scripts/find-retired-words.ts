/** The pure part of retired-words.ts: the words that zipjobs no longer uses, and where a file contains them. */
import { type CallExpression, parseSync, Visitor } from 'oxc-parser';

interface RetiredWord {
  /** Matches in lower case, with one space or line break between words: `takeCharge` is read as `take charge`. */
  readonly pattern: RegExp;
  /** What to write instead. */
  readonly instead: string;
}

export const RETIRED_WORDS: readonly RetiredWord[] = [
  {
    // `Promise.allSettled` is not ours.
    pattern: /(?<!\ball\s)\b(?:un)?settl(?:e|es|ed|ing)\b/,
    instead: "'recover' for an attempt, 'acknowledge' or 'finish' for a delivery or a counter",
  },
  { pattern: /\b(?:in|takes?|taking|taken|took)\scharge\b/, instead: "'active pod', 'activate' or 'owner'" },
  { pattern: /\bpersons?\b/, instead: "'user'" },
  {
    pattern: /\b(?:un)?told\b|(?<!\bcannot\s)\btell(?:s|ing)?\b(?!(?:\s[\w'`-]+){0,8}\sapart\b)/,
    instead: "'reports', 'reported', 'deferred' or 'sends'",
  },
  {
    pattern: /\b(?:stands?|standing|stood|lies|lie|lay|lain|lying)\s(?:in|at)\b/,
    instead: "'is in', 'is at' or 'replaces'",
  },
  { pattern: /\bwhoever\b/, instead: "'anyone who'" },
  { pattern: /\bdone\swrong\b/, instead: "'the mistake'" },
  {
    pattern: /\blook(?:s|ed|ing)?\sagain\b|\b(?:an?|each|every|one|per|next|last|by)\slooks?\b(?!\sups?\b)/,
    instead: "'reconcile', 'requeue' or 'check'",
  },
  {
    // Data is read 'in one pass', and a stream is 'a PassThrough'.
    pattern:
      /(?<!\bin\s)\b(?:an?|the|this|one|each|every|per|next|last)\spass(?!\sthrough\b)\b|\bpass(?:es)?\sfail(?:s|ed)?\b/,
    instead: "'reconcile'",
  },
  { pattern: /\brivals?\b/, instead: "'conflicting job'" },
  {
    pattern:
      /\b(?:in|by|its|whose|their|fair|next|queue|slot|takes?|taking|took|check)\sturns?\b|\bout\sof\sturn\b/,
    instead: "'fair queue', 'round-robin' or 'next in the queue'",
  },
  {
    pattern: /\b(?:fair|leave|waiting|bucket|project)\slines?\b|\bin\sline\b(?!\s(?:with|\d))/,
    instead: "'fair queue' or 'queue'",
  },
  {
    // 'begins with' is about text.
    pattern: /\b(?:begins|began|begun|beginning)\b(?!\swith\b)|\bbegins?\sagain\b|\banew\b/,
    instead: "'starts' or 'restarts'",
  },
  { pattern: /\b(?:go|goes|went)\son\b/, instead: "'resumes' or 'continues'" },
  { pattern: /\bpatience\b|\b(?:im)?patient\b/, instead: "'timeout' or 'grace period'" },
  { pattern: /\bearly\srelease\b/, instead: "'forced finalizer removal'" },
  { pattern: /\blast\sword\b/, instead: "'termination message'" },
  { pattern: /\bseiz(?:e|es|ed|ing)\b/, instead: "'take over'" },
  { pattern: /\b(?:un)?prove[dns]?\b/, instead: "'verify'" },
  {
    // DNS has answers.
    pattern: /(?<!\bdns\s)\banswer(?:s|ed|ing)?\b/,
    instead: "'response' or 'responds'",
  },
  { pattern: /\bgood\stokens?\b/, instead: "'valid token'" },
  { pattern: /\bbad\stokens?\b/, instead: "'invalid token'" },
  { pattern: /\bin\shand\b/, instead: "'the service is busy'" },
  { pattern: /\|\s*may\s*\|/, instead: "'permissions' as the name of a column" },
  { pattern: /\|\s*may\snot\s*\|/, instead: "'denied' as the name of a column" },
  { pattern: /\bnot\sget\son\b/, instead: "'stuck'" },
  { pattern: /\bthis\sonce\b/, instead: "'only once'" },
  { pattern: /\bend(?:s|ed)?\swell\b/, instead: "'succeeds'" },
  {
    pattern: /\bthat\sis\snone\b|,\sof\swhich\b|\bof\sthose\swho\b/,
    instead: 'a shorter sentence',
  },
];

export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly word: string;
  readonly instead: string;
}

/** Splits camelCase, snake_case and kebab-case into words. The positions of line breaks stay. */
function asWords(text: string): string {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replaceAll(/(?<=[A-Za-z])[_-](?=[A-Za-z])/g, ' ')
    .replaceAll(/[ \t]*(?:\n[ \t]*(?:#|\/\/)?)?[ \t]+/g, (gap) => (gap.includes('\n') ? '\n' : ' '))
    .toLowerCase();
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** The retired words in a text whose first line has this number in the file. */
function findIn(path: string, text: string, firstLine: number): Finding[] {
  const words = asWords(text);
  return RETIRED_WORDS.flatMap(({ pattern, instead }) =>
    [...words.matchAll(new RegExp(pattern, 'g'))].map((match) => ({
      path,
      line: firstLine + lineOf(words, match.index) - 1,
      word: match[0].replaceAll(/\s/g, ' '),
      instead,
    })),
  );
}

const TEST_FUNCTIONS = new Set(['describe', 'it']);

/** `it(...)`, `it.skip(...)` and `describe(...)`. */
function namesTest({ callee }: CallExpression): boolean {
  const called = callee.type === 'MemberExpression' ? callee.object : callee;
  return called.type === 'Identifier' && TEST_FUNCTIONS.has(called.name);
}

/** The parts of a source file that are checked: identifiers, and strings outside tests or the names of tests. */
function checkedParts(path: string, source: string): readonly { text: string; start: number }[] {
  const parts: { text: string; start: number }[] = [];
  const isTest = path.startsWith('test/');
  const namesOfTests: { readonly start: number; readonly end: number }[] = [];
  const { program, errors } = parseSync(path, source);
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`);
  function addText(text: string, start: number): void {
    if (!isTest || namesOfTests.some((name) => start >= name.start && start <= name.end))
      parts.push({ text, start });
  }
  new Visitor({
    CallExpression: (node) => {
      const [name] = node.arguments;
      if (name && namesTest(node)) namesOfTests.push(name);
    },
    Identifier: ({ name, start }) => parts.push({ text: name, start }),
    PrivateIdentifier: ({ name, start }) => parts.push({ text: name, start }),
    Literal: ({ value, start }) => typeof value === 'string' && addText(value, start),
    TemplateElement: ({ value, start }) => addText(value.raw, start),
  }).visit(program);
  return parts;
}

/** Comments of TypeScript and Go are not checked. All other files are checked completely. */
export function findRetiredWords(path: string, text: string): readonly Finding[] {
  const inPath = findIn(path, path, 1);
  if (path.endsWith('.go')) return [...inPath, ...findIn(path, text.replaceAll(/\/\/ .*/g, ''), 1)];
  if (!/\.[jt]s$/.test(path)) return [...inPath, ...findIn(path, text, 1)];
  const inSource = checkedParts(path, text).flatMap((part) =>
    findIn(path, part.text, lineOf(text, part.start)),
  );
  return [...inPath, ...inSource];
}
