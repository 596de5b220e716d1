import { ON_CONFLICTS, type PortableNames } from '#crds/zip-job.ts';

/** Options that a job can only make stricter than its project, from the loosest to the strictest. */
const BY_STRICTNESS = {
  onConflict: ON_CONFLICTS,
  portableNames: ['keep', 'rewrite', 'refuse'] as const satisfies readonly PortableNames[],
} as const;

/** Without a choice or a demand, nothing is looser. */
export function isLooser(
  option: keyof typeof BY_STRICTNESS,
  chosen: string | undefined,
  demanded: string | undefined,
): boolean {
  const order: readonly string[] = BY_STRICTNESS[option];
  return chosen !== undefined && demanded !== undefined && order.indexOf(chosen) < order.indexOf(demanded);
}
