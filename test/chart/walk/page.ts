/** The table of docs/objects.md. */
import { type Creator, nameOf, QUESTIONS, reasonNotToAsk, type Walked } from './questions.ts';

const CREATORS: Readonly<Record<Creator, string>> = {
  chart: 'chart',
  api: 'API',
  controller: 'controller',
  dashboard: 'dashboard, command line',
};

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** One of each name and creator, by name. */
function distinct(all: readonly Walked[]): readonly Walked[] {
  const byName = new Map(all.map((walked) => [`${walked.creator} ${nameOf(walked)}`, walked] as const));
  return [...byName].toSorted(([a], [b]) => a.localeCompare(b)).map(([, walked]) => walked);
}

function objectsTable(all: readonly Walked[]): string {
  return table(
    ['object', 'created by', ...QUESTIONS.map(({ title }) => title)],
    distinct(all).map((walked) => [
      nameOf(walked),
      CREATORS[walked.creator],
      ...QUESTIONS.map((question) => (reasonNotToAsk(question, walked) === undefined ? 'yes' : '–')),
    ]),
  );
}

function meanings(): string {
  return table(
    ['column', 'yes means'],
    QUESTIONS.map(({ title, means }) => [title, means]),
  );
}

/** Reasons by question, without those that say only that an object has no pods. */
function reasons(all: readonly Walked[]): string {
  const rows = QUESTIONS.flatMap((question) => {
    const byReason = new Map<string, Set<string>>();
    for (const walked of distinct(all)) {
      const reason = reasonNotToAsk(question, walked);
      if (reason === undefined || reason === 'starts no pod' || reason === 'opens no port') continue;
      byReason.set(reason, (byReason.get(reason) ?? new Set()).add(nameOf(walked)));
    }
    return [...byReason].map(([reason, names]) => [question.title, [...names].join(', '), reason]);
  });
  return table(['column', 'object', 'why it needs none'], rows);
}

const START = '<!-- begin objects -->';
const END = '<!-- end objects -->';

/** The page with the current tables. */
export function withTables(page: string, all: readonly Walked[]): string {
  const [before, rest = ''] = page.split(START);
  const [, after = ''] = rest.split(END);
  return `${before}${START}\n${meanings()}\n\n${objectsTable(all)}\n\n${reasons(all)}\n${END}${after}`;
}
