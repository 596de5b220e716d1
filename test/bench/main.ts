/**
 * The zipper beside its peers, in one run: `npm run bench -- [--quick | --full] [--json] [--case NAME] [--only NAME] [--rounds N]
 * [--dir FOLDER]`. Cases: small, mixed, big, huge, cold-start. Only ratios within one run mean anything on a shared machine.
 */
import { parseArgs } from 'node:util';
import { benchCases } from './bench-case.ts';
import { type BenchResult, printTable, ratiosOf } from './bench-result.ts';
import { openWorld } from './bench-world.ts';
import { findContenders } from './contenders.ts';
import { runCase } from './run-case.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    case: { type: 'string', multiple: true },
    only: { type: 'string', multiple: true },
    rounds: { type: 'string' },
    dir: { type: 'string' },
  },
});
const rounds = Number(values.rounds ?? (values.quick ? 1 : 3));
const log = (line: string): void => console.error(line);
const isWanted = (name: string): boolean => values.case?.includes(name) ?? true;

const results: BenchResult[] = [];
await using world = await openWorld(log, values.dir);
const contenders = (await findContenders(world, log)).filter(
  ({ name }) => values.only?.includes(name) ?? true,
);
const size = values.quick ? 'quick' : values.full ? 'full' : 'normal';
for (const bench of benchCases(size).filter(({ name }) => isWanted(name)))
  results.push(...(await runCase(world, contenders, { bench, rounds, log })));
const ratios = ratiosOf(results);
if (values.json) for (const one of [...results, { ratios }]) console.log(JSON.stringify(one));
else printTable(results, ratios);
