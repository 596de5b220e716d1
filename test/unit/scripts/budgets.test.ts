import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { ERROR_CODES } from '#api/errors/error-codes.ts';
import { readClassLimits } from '#runtime/project-limits/class-settings.ts';
import { PROCESSES } from '#scripts/sync-values.ts';

const [, section = ''] = /\n## Budgets\n(.*?)\n## /s.exec(readFileSync('docs/operate.md', 'utf8')) ?? [];
/** What, default, setting, response. */
const ROWS = section
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| what') && !line.startsWith('|---'))
  .map((line) =>
    line
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.trim()),
  );

function named(pattern: RegExp, column: number): readonly string[] {
  return ROWS.flatMap((row) => [...(row[column] ?? '').matchAll(pattern)].map(([, name = '']) => name));
}

describe('the table of budgets in docs/operate.md', () => {
  it('has a default, a setting and a response in each row', () => {
    expect(ROWS.length).to.be.above(20);
    for (const row of ROWS)
      expect(
        row.filter((cell) => cell !== ''),
        row.join(),
      ).to.have.length(4);
  });

  it('names settings that exist', () => {
    const known = Object.values(PROCESSES).flatMap((settings) =>
      Object.values(settings).map(({ env }) => env),
    );
    expect(known).to.include.members([...named(/`([A-Z][A-Z_]+)`/g, 2)]);
  });

  function textOf(name: string, value: number): string {
    if (name === 'storedBytes') return `${value / 1024 ** 2} MiB`;
    return name === 'archiveBytes' ? `${value / 1024 ** 3} GiB` : value.toLocaleString('en-US');
  }

  it('has every limit of a class, with its default (N8)', () => {
    const { standard } = readClassLimits('{}');
    expect(named(/\*\*`(\w+)`\*\*/g, 2)).to.have.members(Object.keys(standard));
    for (const [name, value] of Object.entries<number>({ ...standard })) {
      const row = ROWS.find((one) => one[2]?.includes(`**\`${name}\`**`));
      const text = textOf(name, value);
      expect(row?.[1], name).to.equal(text);
    }
  });

  it('names every error code of an exceeded limit', () => {
    const codes = named(/`([a-z_]+)`/g, 3);
    expect(Object.keys(ERROR_CODES)).to.include.members([...codes]);
    const limited = Object.entries(ERROR_CODES).filter(([, { status }]) => status === 429 || status === 413);
    expect(codes).to.include.members(limited.map(([code]) => code));
  });
});
