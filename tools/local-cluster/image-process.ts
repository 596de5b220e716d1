import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const APP = '/app/';

export interface ImageProcess {
  /** Node's own options and the script, as the image starts them, without Node itself. */
  readonly args: readonly string[];
  /** Environment variables that the image adds; a path in the image is under the given folder instead. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Reads how an image starts its process from the last stage of its Dockerfile, so that tests measure the same
 * process.
 */
export function imageProcess(dockerfile: string, folder: string): ImageProcess {
  const text = readFileSync(join(ROOT, dockerfile), 'utf8').replaceAll(/\\\n\s*/g, ' ');
  const stage = text.slice(text.lastIndexOf('\nFROM '));
  const [, entryPoint] = /^ENTRYPOINT (\[.*\])$/m.exec(stage) ?? [];
  const words: unknown = JSON.parse(entryPoint ?? '[]');
  if (!Array.isArray(words) || words[0] !== 'node') throw new Error(`${dockerfile} does not start node`);
  const args = words
    .slice(1)
    .map((word) => (String(word).endsWith('.ts') ? join(ROOT, String(word)) : String(word)));
  const pairs = [...stage.matchAll(/^ENV (.*)$/gm)].flatMap(([, list = '']) =>
    [...list.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value] as const),
  );
  const env = Object.fromEntries(
    pairs.map(([name, value]) => [
      name,
      value.startsWith(APP) ? join(folder, value.slice(APP.length)) : value,
    ]),
  );
  return { args, env };
}
