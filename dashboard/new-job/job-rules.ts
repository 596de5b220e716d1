import type { NewJobRules } from '#administration/jobs/new-jobs.ts';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { toEgressOptions } from '#runtime/egress/settings.ts';
import { createUrlProblem } from '#runtime/zip-request/url-problem.ts';
import type { PageDeps } from '../http/page-deps.ts';
import type { Question } from '../user/access.ts';

/** A job is a ZipJob, and Secrets with its files. */
export const NEW_JOB_RIGHTS: readonly Question[] = [
  { verb: 'list', resource: 'zipbuckets' },
  { verb: 'get', resource: 'zipbuckets' },
  { verb: 'create', resource: 'zipjobs' },
  // To complete the job of a form that is sent again.
  { verb: 'get', resource: 'zipjobs' },
  { verb: 'create', resource: 'secrets', group: '' },
];

/** The rules of the API for requests, from the same settings. */
export function newJobRules({ config }: Pick<PageDeps, 'config'>): NewJobRules {
  return {
    urlProblem: createUrlProblem(createEgressPolicy(toEgressOptions(config, config.kubernetesHost))),
    maxFiles: config.maxFiles,
    maxUrlLength: config.maxUrlLength,
    maxKeyBytes: config.maxKeyBytes,
  };
}
