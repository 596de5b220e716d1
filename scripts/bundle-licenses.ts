/** The licenses of the packages that a bundle contains. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
/** The folder of a package, which may be inside of another one. */
const PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;
const LICENSE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;
const RULE = '-'.repeat(80);

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

function licenseOf(folder: string): string {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const { name, version, license = '' } = manifest;
  if (license === '') throw new Error(`${name} ${version} names no license in its package.json`);
  const files = readdirSync(folder).filter((file) => LICENSE.test(file) && !/\.[cm]?[jt]s$/.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return [`${name} ${version}: ${license}`, ...texts].join('\n\n');
}

/** The name, version and license of each package of these modules, and the files with its license. Modules are paths from the root. */
export function licensesOf(modules: readonly string[]): string {
  const folders = new Set(modules.flatMap((module) => PACKAGE.exec(module) ?? []));
  return `${[...folders]
    .map((folder) => licenseOf(join(ROOT, folder)))
    .toSorted()
    .join(`\n\n${RULE}\n\n`)}\n`;
}
