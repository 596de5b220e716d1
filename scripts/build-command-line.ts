/**
 * Builds the command line that needs no checkout: `node scripts/build-command-line.ts FOLDER [--executable]` writes zipjobs.cjs, which
 * runs with Node, and with --executable also `zipjobs`, which contains the Node that runs this script.
 */
import { resolve } from 'node:path';
import { bundleCommandLine } from './command-line-bundle.ts';
import { buildExecutable } from './command-line-executable.ts';

const [folder, option] = process.argv.slice(2);
if (folder === undefined || (option !== undefined && option !== '--executable')) {
  console.error('Usage: node scripts/build-command-line.ts FOLDER [--executable]');
  process.exit(2);
}
const { file } = await bundleCommandLine(resolve(folder));
console.log(file);
if (option !== undefined) console.log(await buildExecutable(file));
