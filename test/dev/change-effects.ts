/** The long-running processes of the chart. */
export const COMPONENTS = ['api', 'controller', 'dashboard'] as const;
export type Component = (typeof COMPONENTS)[number];

/**
 * What a changed file needs: a restart of a component, a chart upgrade, or for `definitions` an upgrade after the CRDs are
 * copied into the chart. A change of `zipper` needs nothing, because each zipper pod starts from the files.
 */
export type Effect = Component | 'chart' | 'definitions' | 'zipper';

export const WATCHED_FOLDERS = [
  'crds',
  'runtime',
  'administration',
  'api',
  'dashboard',
  'controller',
  'zipper-image',
  'charts',
] as const;

/** The first rule that matches a path decides. */
const RULES: readonly (readonly [path: RegExp, effects: readonly Effect[]])[] = [
  // Documents, tests, names without an extension, and the files that editors write beside the one being saved.
  [/(^|\/)\.|~$|(^|\/)[^./]+$|\.(md|swp|tmp|test\.ts)$|___jb_(tmp|old)___$/, []],
  // Copies of crds/*.yaml, written by `scripts/sync-crds.ts`.
  [/^charts\/zipjobs\/templates\/crds\//, []],
  // Programs that run once and exit.
  [/^cli\/|^(?:api|controller)\/programs\/|^[a-z-]+\/warm-up\//, []],
  [/^charts\//, ['chart']],
  [/^crds\/.*\.yaml$/, ['definitions']],
  [/^(crds|runtime)\//, COMPONENTS],
  [/^api\//, ['api']],
  [/^(administration|dashboard)\//, ['dashboard']],
  [/^controller\//, ['controller']],
  [/^zipper-image\//, ['zipper']],
];

/** The effects of a changed file; the path starts at the root of the checkout. */
export function effectsOf(path: string): readonly Effect[] {
  return RULES.find(([pattern]) => pattern.test(path))?.[1] ?? [];
}
