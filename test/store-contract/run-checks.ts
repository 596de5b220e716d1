import type { Check, Result } from './check.ts';
import { ABORT_CHECKS } from './checks/aborts.ts';
import { OBJECT_CHECKS } from './checks/objects.ts';
import { REFUSAL_CHECKS } from './checks/refusals.ts';
import { UPLOAD_CHECKS } from './checks/uploads.ts';
import { ZIPPER_CHECKS } from './checks/zipper.ts';
import { createWorld, type Target, type World } from './world.ts';

export const CHECKS: readonly Check[] = [
  ...UPLOAD_CHECKS,
  ...ABORT_CHECKS,
  ...REFUSAL_CHECKS,
  ...OBJECT_CHECKS,
  ...ZIPPER_CHECKS,
];

/** Stores may repeat the keys of a request in their errors. */
function withoutKeys(text: string, { accessKeyId, secretAccessKey, sessionToken }: Target): string {
  return [accessKeyId, secretAccessKey, sessionToken]
    .filter((key) => key !== undefined && key !== '')
    .reduce<string>((rest, key) => rest.replaceAll(String(key), '[key]'), text);
}

export async function runCheck({ name, run }: Check, world: World): Promise<Result> {
  try {
    const difference = await run(world);
    if (difference === undefined) return { name, verdict: 'pass' };
    return { name, verdict: 'differs', detail: withoutKeys(difference, world.target) };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { name, verdict: 'fails', detail: withoutKeys(detail, world.target) };
  }
}

/** Runs every check, and then removes what they left in the bucket. */
export async function runChecks(
  target: Target,
  onResult: (result: Result) => void,
  checks = CHECKS,
): Promise<readonly Result[]> {
  using world = createWorld(target);
  const results: Result[] = [];
  try {
    for (const check of checks) {
      const result = await runCheck(check, world);
      results.push(result);
      onResult(result);
    }
  } finally {
    await world.removeAll();
  }
  return results;
}
