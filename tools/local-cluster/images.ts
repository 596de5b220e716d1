import { resolve } from 'node:path';
import { type ImageProcess, imageProcess } from './image-process.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');

const OWN_IMAGES: Readonly<Record<string, string>> = {
  'zipjobs-api': 'api/main.ts',
  'zipjobs-controller': 'controller/main.ts',
  'zipjobs-dashboard': 'dashboard/main.ts',
  'zipjobs-zipper': 'zipper-image/main.ts',
};
/** The targets of the Dockerfile by the script that they start. */
const TARGETS: ReadonlyMap<string, string> = new Map(
  Object.entries(OWN_IMAGES).map(([image, script]) => [script, image.slice('zipjobs-'.length)]),
);

/** Replaces images with scripts of this checkout, which run with the Node of this process. */
export interface ImageTable {
  /** Working directory of every container. */
  readonly root: string;
  /** How the image starts Node: options, if any, and the script. Undefined: the image cannot be pulled. */
  entryPointOf(image: string): readonly string[] | undefined;
  /** The variables that one of our images sets. Empty for another image. */
  environmentOf(image: string): Readonly<Record<string, string>>;
}

/** Our images and `more`, by name, with or without their registry. */
export function createImageTable(more: Readonly<Record<string, string>>): ImageTable {
  const scripts = new Map(Object.entries({ ...OWN_IMAGES, ...more }));
  function scriptOf(image: string): string | undefined {
    const repository = repositoryOf(image);
    return scripts.get(repository) ?? scripts.get(repository.slice(repository.lastIndexOf('/') + 1));
  }
  function processOf(script: string | undefined): ImageProcess | undefined {
    const target = script === undefined ? undefined : TARGETS.get(script);
    return target === undefined ? undefined : imageProcess(target, ROOT);
  }
  return {
    root: ROOT,
    entryPointOf: (image) => {
      const script = scriptOf(image);
      return script === undefined ? undefined : (processOf(script)?.args ?? [resolve(ROOT, script)]);
    },
    environmentOf: (image) => processOf(scriptOf(image))?.env ?? {},
  };
}

/** Returns `registry:5000/a/b` for `registry:5000/a/b:tag@sha256:...`. */
function repositoryOf(image: string): string {
  const [name = ''] = image.split('@');
  return name.replace(/:[^:/]*$/, '');
}
