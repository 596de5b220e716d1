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

/** One stage of the Dockerfile. */
export interface Stage {
  /** The stage or the image that it starts from. */
  readonly from: string;
  /** The instructions after FROM, one a line. */
  readonly lines: readonly string[];
}

/** The stages of the Dockerfile by name; the part before the first one has the name ''. */
export function readStages(): ReadonlyMap<string, Stage> {
  const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').replaceAll(/ \\\n\s*/g, ' ');
  return new Map(
    text.split(/^(?=FROM )/m).map((stage) => {
      const [first = '', ...lines] = stage.split('\n');
      const [, from = '', name = ''] = /^FROM (\S+) AS (\S+)$/.exec(first) ?? [];
      return [name, { from, lines: name === '' ? [first, ...lines] : lines }];
    }),
  );
}

/** The ENV instructions of a stage, after those of the stage that it starts from. */
function variablesOf(stages: ReadonlyMap<string, Stage>, name: string): readonly string[] {
  const stage = stages.get(name);
  if (stage === undefined) return [];
  return [...variablesOf(stages, stage.from), ...stage.lines.filter((line) => line.startsWith('ENV '))];
}

/** Reads from the Dockerfile how the image of a target starts its process, so that tests measure the same process. */
export function imageProcess(target: string, folder: string): ImageProcess {
  const stages = readStages();
  const entryPoint = stages.get(target)?.lines.find((line) => line.startsWith('ENTRYPOINT ['));
  const words: unknown = JSON.parse(entryPoint?.slice('ENTRYPOINT '.length) ?? '[]');
  if (!Array.isArray(words) || words[0] !== 'node')
    throw new Error(`the image ${target} does not start node`);
  const args = words
    .slice(1)
    .map((word) => (String(word).endsWith('.ts') ? join(ROOT, String(word)) : String(word)));
  const pairs = variablesOf(stages, target).flatMap((line) =>
    [...line.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value] as const),
  );
  const env = Object.fromEntries(
    pairs.map(([name, value]) => [
      name,
      value.startsWith(APP) ? join(folder, value.slice(APP.length)) : value,
    ]),
  );
  return { args, env };
}
