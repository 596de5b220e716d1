import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..', '..');

const OWN_IMAGES: Readonly<Record<string, string>> = {
  'zipjobs-api': 'api/main.ts',
  'zipjobs-controller': 'controller/main.ts',
  'zipjobs-dashboard': 'dashboard/main.ts',
  'zipjobs-zipper': 'zipper-image/main.ts',
};

/** What stands for images: scripts of this checkout, run by the Node that runs the cluster. */
export interface ImageTable {
  /** Working directory of every container. */
  readonly root: string;
  /** Path of an image's script; undefined is an image that cannot be pulled. */
  entryPointOf(image: string): string | undefined;
}

/** Our images, and `more` by name, with or without their registry. */
export function createImageTable(more: Readonly<Record<string, string>>): ImageTable {
  const scripts = new Map(Object.entries({ ...OWN_IMAGES, ...more }));
  return {
    root: ROOT,
    entryPointOf: (image) => {
      const repository = repositoryOf(image);
      const script =
        scripts.get(repository) ?? scripts.get(repository.slice(repository.lastIndexOf('/') + 1));
      return script === undefined ? undefined : resolve(ROOT, script);
    },
  };
}

/** `registry:5000/a/b:tag@sha256:...` is `registry:5000/a/b`. */
function repositoryOf(image: string): string {
  const [name = ''] = image.split('@');
  return name.replace(/:[^:/]*$/, '');
}
