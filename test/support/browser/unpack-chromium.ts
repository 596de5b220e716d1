/**
 * Unpacks the browser, its libraries and a font into TMPDIR. The package supports no other target, so this is
 * a separate process with its own TMPDIR.
 */
import { fileURLToPath } from 'node:url';
import { inflate } from '@sparticuz/chromium';

function fileOf(name: string): string {
  return fileURLToPath(new URL(`../bin/${name}`, import.meta.resolve('@sparticuz/chromium')));
}

await Promise.all(['chromium.br', 'al2023.tar.br', 'fonts.tar.br'].map((name) => inflate(fileOf(name))));
