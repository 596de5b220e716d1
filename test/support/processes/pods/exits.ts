/** A container that exits with EXIT_CODE, after writing MESSAGE to TERMINATION_LOG and LINE to its output. */
import { writeFileSync } from 'node:fs';

const { EXIT_CODE = '0', MESSAGE, LINE, TERMINATION_LOG = '' } = process.env;

if (LINE !== undefined) console.log(LINE);
if (MESSAGE !== undefined) writeFileSync(TERMINATION_LOG, MESSAGE);
process.exitCode = Number(EXIT_CODE);
