/** The part of a zipper between the sources and the store, of this checkout or of another one. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

async function load<M>(root: string, path: string): Promise<M> {
  return (await import(pathToFileURL(join(root, path)).href)) as M;
}

/** Imports the modules of a checkout. They must have the exports of those of this one. */
export async function loadEngine(root: string) {
  const [archive, entries, names, parts, sources, config, agents, policies, logs] = await Promise.all([
    load<typeof import('#zipper-image/archive/archive.ts')>(root, 'zipper-image/archive/archive.ts'),
    load<typeof import('#zipper-image/archive/write-entries.ts')>(
      root,
      'zipper-image/archive/write-entries.ts',
    ),
    load<typeof import('#zipper-image/archive/entry-names.ts')>(root, 'zipper-image/archive/entry-names.ts'),
    load<typeof import('#zipper-image/store/part-writer.ts')>(root, 'zipper-image/store/part-writer.ts'),
    load<typeof import('#zipper-image/sources/prefetch.ts')>(root, 'zipper-image/sources/prefetch.ts'),
    load<typeof import('#zipper-image/config.ts')>(root, 'zipper-image/config.ts'),
    load<typeof import('#runtime/egress/guarded-agent.ts')>(root, 'runtime/egress/guarded-agent.ts'),
    load<typeof import('#runtime/egress/egress-policy.ts')>(root, 'runtime/egress/egress-policy.ts'),
    load<typeof import('#runtime/log/log.ts')>(root, 'runtime/log/log.ts'),
  ]);
  return {
    ...archive,
    ...entries,
    ...names,
    ...parts,
    ...sources,
    ...config,
    ...agents,
    ...policies,
    ...logs,
  };
}

export type Engine = Awaited<ReturnType<typeof loadEngine>>;
