import { dirname, resolve } from 'node:path';
import { imageProcess } from './image-process.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');

const OWN_IMAGES: Readonly<Record<string, string>> = {
  'zipjobs-api': 'api/main.ts',
  'zipjobs-controller': 'controller/main.ts',
  'zipjobs-dashboard': 'dashboard/main.ts',
  'zipjobs-zipper': 'zipper-image/main.ts',
};

/** Replaces images with scripts of this checkout, which run with the Node of this process. */
export interface ImageTable {
  /** Working directory of every container. */
  readonly root: string;
  /** Path of the script of an image. Undefined: the image cannot be pulled. */
  entryPointOf(image: string): string | undefined;
  /** The variables that one of our images sets. Empty for another image. */
  environmentOf(image: string): Readonly<Record<string, string>>;
}

/** Our images and `more`, by name, with or without their registry. */
export function createImageTable(more: Readonly<Record<string, string>>): ImageTable {
  const scripts = new Map(Object.entries({ ...OWN_IMAGES, ...more }));
  const own = new Set(Object.values(OWN_IMAGES));
  const scriptOf = (image: string): string | undefined => {
    const repository = repositoryOf(image);
    return scripts.get(repository) ?? scripts.get(repository.slice(repository.lastIndexOf('/') + 1));
  };
  return {
    root: ROOT,
    entryPointOf: (image) => {
      const script = scriptOf(image);
      return script === undefined ? undefined : resolve(ROOT, script);
    },
    environmentOf: (image) => {
      const script = scriptOf(image);
      return script === undefined || !own.has(script)
        ? {}
        : imageProcess(`${dirname(script)}/Dockerfile`, ROOT).env;
    },
  };
}

/** Returns `registry:5000/a/b` for `registry:5000/a/b:tag@sha256:...`. */
function repositoryOf(image: string): string {
  const [name = ''] = image.split('@');
  return name.replace(/:[^:/]*$/, '');
}
