/** The pure part of cases.ts: reads the cases of docs/cases.md, and finds the tests and decision records that name each case. */

export interface TextFile {
  readonly path: string;
  readonly text: string;
}

export interface CaseSources {
  /** docs/cases.md: headings, and one line `- **S1** Sentence.` per case. */
  readonly cases: string;
  readonly tests: readonly TextFile[];
  readonly records: readonly TextFile[];
}

const CASE_LINE = /^- \*\*((?:Q-)?[A-Z]{1,2}\d+)\*\* (.+)$/;
const CASE_ID = /(?:Q-)?[A-Z]{1,2}\d+/g;
/** A record names a case in parentheses: `(S13)`. */
const IN_PARENTHESES = /\((?:Q-)?[A-Z]{1,2}\d+(?:, (?:Q-)?[A-Z]{1,2}\d+)*\)/g;
/** The name of a test ends with its cases: 'refuses a redirect to a private address (S43)'. */
const END_OF_NAME = /(?: \((?:Q-)?[A-Z]{1,2}\d+(?:, (?:Q-)?[A-Z]{1,2}\d+)*\))+['"`]/g;

/** Paths of the files that name a case, by case ID. */
function filesByCase(files: readonly TextFile[], pattern: RegExp): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { path, text } of files)
    for (const id of new Set(text.match(pattern)?.flatMap((match) => match.match(CASE_ID) ?? [])))
      found.set(id, [...(found.get(id) ?? []), path]);
  return found;
}

interface Case {
  readonly id: string;
  readonly sentence: string;
}

function caseIn(line: string): Case | undefined {
  const [, id, sentence] = CASE_LINE.exec(line) ?? [];
  return id === undefined || sentence === undefined ? undefined : { id, sentence };
}

function namesOf(files: ReadonlyMap<string, readonly string[]>, id: string): readonly string[] {
  return files.get(id) ?? [];
}

export function listCases({ cases, tests, records }: CaseSources) {
  const tested = filesByCase(tests, END_OF_NAME);
  const recorded = filesByCase(records, IN_PARENTHESES);
  const described = new Set<string>();
  const problems: string[] = [];

  function linesOf({ id, sentence }: Case): readonly string[] {
    const paths = [...namesOf(tested, id), ...namesOf(recorded, id)];
    if (paths.length === 0)
      problems.push(`${id} is in docs/cases.md, but no test and no record in docs/adr names it`);
    if (described.has(id)) problems.push(`${id} is in docs/cases.md twice`);
    described.add(id);
    return [`${id}  ${sentence}`, ...paths.map((path) => `    ${path}`)];
  }

  const lines = cases.split('\n').flatMap((line) => {
    if (line.startsWith('## ')) return ['', line, ''];
    const found = caseIn(line);
    return found ? linesOf(found) : [];
  });
  for (const [id, [path]] of tested)
    if (!described.has(id)) problems.push(`${path} names ${id}, which docs/cases.md does not describe`);
  return { lines, problems };
}
