/** Writes the zipper's validators from their schemas. A unit test compares them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zipperValidators } from './zipper-validators.ts';

for (const [path, text] of Object.entries(zipperValidators()))
  writeFileSync(join(import.meta.dirname, '..', path), text);
