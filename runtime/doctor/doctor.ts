import { toError } from '../errors.ts';
import { clocks } from './checks/clocks.ts';
import { components, images } from './checks/components.ts';
import { definitions } from './checks/definitions.ts';
import { encryption } from './checks/encryption.ts';
import { history } from './checks/history.ts';
import { jobs } from './checks/jobs.ts';
import { leader, paused } from './checks/leader.ts';
import { enforcement, policies } from './checks/policies.ts';
import { buckets, projects } from './checks/projects.ts';
import { rights } from './checks/rights.ts';
import { versions } from './checks/versions.ts';
import { webhooks } from './checks/webhooks.ts';
import type { Check, CheckContext } from './context.ts';
import type { Finding, Result } from './finding.ts';
import { ForbiddenReadError } from './reader.ts';

/** About the release itself: they only read, and nothing of a project. */
export const RELEASE_CHECKS: readonly Check[] = [
  leader,
  components,
  images,
  versions,
  definitions,
  policies,
  rights,
];

/** About the release, its projects and the cluster. */
export const ALL_CHECKS: readonly Check[] = [
  ...RELEASE_CHECKS,
  enforcement,
  paused,
  jobs,
  webhooks,
  projects,
  buckets,
  history,
  clocks,
  encryption,
];

function unknown(thrown: unknown): Finding {
  if (thrown instanceof ForbiddenReadError)
    return {
      level: 'unknown',
      message: `Could not look: you may not ${thrown.permission}`,
      remedy: `Ask your cluster administrator for this permission, then check: kubectl auth can-i ${thrown.permission}`,
    };
  return { level: 'unknown', message: `Could not look: ${toError(thrown).message}`, remedy: 'Try again' };
}

async function resultsOf(check: Check, context: CheckContext): Promise<readonly Result[]> {
  function named(finding: Finding): Result {
    return { check: check.name, ...finding };
  }
  try {
    return (await check.run(context)).map(named);
  } catch (error) {
    return [named(unknown(error))];
  }
}

/** Runs the checks. A check that cannot look has an `unknown` result, never a false `ok`. */
export async function runDoctor(checks: readonly Check[], context: CheckContext): Promise<readonly Result[]> {
  const results = await Promise.all(checks.map((check) => resultsOf(check, context)));
  return results.flat();
}
