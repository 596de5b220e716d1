import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { assemblyMs, type Evidence, judge, type Verdict } from '#zipper-image/store/evidence.ts';

const PAGE = new URL('../../../../docs/architecture.md', import.meta.url);
const HEADER = '| object at the key | upload |';

type Row = Readonly<Record<keyof Evidence, string>> & { readonly verdict: string };

/** The table of the page. Its columns are the fields of the evidence, in this order. */
function rows(): readonly Row[] {
  const [, table = ''] = readFileSync(PAGE, 'utf8').split(HEADER);
  const lines = table.split('\n\n')[0]?.split('\n').slice(2) ?? [];
  return lines.map((line) => {
    const cells = line.split('|').map((cell) => cell.trim());
    const [, object, upload, isAborted, isConsistent, mayRun, isAcknowledged, verdict] = cells;
    return { object, upload, isAborted, isConsistent, mayRun, isAcknowledged, verdict } as Row;
  });
}

const FLAGS = [true, false];

function everything(): readonly Evidence[] {
  return (['ours', 'resized', 'other', 'denied'] as const).flatMap((object) =>
    (['gone', 'present', 'unreported'] as const).flatMap((upload) =>
      FLAGS.flatMap((isAborted) =>
        FLAGS.flatMap((isConsistent) =>
          FLAGS.flatMap((mayRun) =>
            FLAGS.map((isAcknowledged) => ({
              object,
              upload,
              isAborted,
              isConsistent,
              mayRun,
              isAcknowledged,
            })),
          ),
        ),
      ),
    ),
  );
}

function fits(cell: string, value: string | boolean): boolean {
  return cell === 'any' || cell === (typeof value === 'boolean' ? (value ? 'yes' : 'no') : value);
}

function isIn(row: Row, evidence: Evidence): boolean {
  return Object.entries(evidence).every(([name, value]) =>
    fits(row[name as keyof Evidence], value as string | boolean),
  );
}

describe('the evidence of an archive', () => {
  it('decides as docs/architecture.md says, in exactly one row for everything that can be seen (F35) (F47)', () => {
    const table = rows();
    const used = new Set<Row>();
    for (const evidence of everything()) {
      const found = table.filter((row) => isIn(row, evidence));
      expect(found, JSON.stringify(evidence)).to.have.length(1);
      for (const row of found) used.add(row);
      expect(judge(evidence), JSON.stringify(evidence)).to.equal(found[0]?.verdict);
    }
    expect(used.size, 'rows that are used').to.equal(table.length);
  });

  it('is absence only after an abort of an upload that was there (F47)', () => {
    const absent = everything().filter((evidence) => judge(evidence) === ('absent' satisfies Verdict));
    expect(absent).to.have.length.greaterThan(0);
    for (const { object, upload, isAborted, isConsistent } of absent)
      expect({ object, upload, isAborted, isConsistent }).to.deep.equal({
        object: 'other',
        upload: 'gone',
        isAborted: true,
        isConsistent: true,
      });
  });

  it('gives a store a second for 20 MiB to assemble an archive, and at most a day (F47)', () => {
    const MIB = 1024 * 1024;
    expect(assemblyMs(0, 15_000)).to.equal(15_000);
    expect(assemblyMs(2048 * MIB, 15_000)).to.equal(117_400);
    expect(assemblyMs(5 * 1024 * 1024 * MIB, 15_000)).to.equal(86_400_000);
  });
});
