/**
 * Tries every verb of every resource with the token of every account, on a local cluster with the chart, and prints what is
 * granted: `npm run permissions [-- --write]`. With `--write` it writes the tables to docs/security.md. Otherwise the exit code
 * is 1 if they differ.
 */
import { parseArgs } from 'node:util';
import { createWorld } from '../integration/policies/world.ts';
import { documentedTables, writeTables } from './permission-table.ts';
import { surveyPermissions } from './survey.ts';

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
await using world = await createWorld();
const tables = await surveyPermissions(world);
console.log(tables);
if (values.write) await writeTables(tables);
else if (tables !== (await documentedTables())) {
  console.error('docs/security.md differs. Run: npm run permissions -- --write');
  process.exitCode = 1;
}
