/**
 * Compares the types of clients/typescript with the OpenAPI document of the default settings, and fails if they
 * differ. With `--write`, writes them.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readApiConfig } from '#api/config.ts';
import { createDocument } from '#api/openapi/document.ts';

const CLIENT = 'clients/typescript';
const TARGET = join(CLIENT, 'src/schema.ts');

/** What openapi-typescript generates from the document. */
function generate(): string {
  const config = readApiConfig({});
  const settings = { ...config, projectLimits: config.classes.standard };
  const directory = mkdtempSync(join(tmpdir(), 'zipjobs-client-'));
  try {
    const [source, output] = [join(directory, 'openapi.json'), join(directory, 'schema.ts')];
    writeFileSync(source, JSON.stringify(createDocument({ settings, version: '' })));
    const program = join(CLIENT, 'node_modules/openapi-typescript/bin/cli.js');
    execFileSync(process.execPath, [program, source, '--immutable', '--output', output], { stdio: 'pipe' });
    return readFileSync(output, 'utf8');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const expected = generate();
if (process.argv.includes('--write')) writeFileSync(TARGET, expected);
else if (readFileSync(TARGET, 'utf8') !== expected) {
  console.error(`${TARGET} is out of date. Run: npm run docs`);
  process.exitCode = 1;
}
