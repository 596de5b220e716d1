import type { KubeClient } from '#runtime/kube/client/client.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { isKubeError } from '#runtime/kube/client/kube-error.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { type Buckets, createBuckets } from './buckets/buckets.ts';
import { createUserClient } from './changes/user-client.ts';
import { createJobs, type Jobs, type JobsOptions } from './jobs/jobs.ts';
import { createNewJobs, type NewJobs } from './jobs/new-jobs.ts';
import { createProjects, type Projects } from './projects/projects.ts';
import { createTokens, type Tokens } from './tokens.ts';
import { createWebhooks, type Webhooks } from './webhooks/webhooks.ts';

const GROUP_VERSION = 'authentication.k8s.io/v1';

function field(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

/** Reads the user name of the caller from the API server; undefined if it does not report one. */
function createWhoAmI(kube: Pick<KubeClient, 'request'>) {
  return async (): Promise<string | undefined> => {
    try {
      const body = { apiVersion: GROUP_VERSION, kind: 'SelfSubjectReview' };
      const path = `/apis/${GROUP_VERSION}/selfsubjectreviews`;
      const review = await kube.request({ method: 'POST', path, body });
      const username = field(field(field(review, 'status'), 'userInfo'), 'username');
      return typeof username === 'string' ? username.slice(0, 256) : undefined;
    } catch (error) {
      if (isKubeError(error)) return undefined;
      throw error;
    }
  };
}

/** Every operation, with the permissions of one user. */
export interface Administration {
  projects(): Projects;
  buckets(namespace: string): Buckets;
  tokens(namespace: string): Tokens;
  /** Default: the endpoint of a project with one URL. */
  webhooks(namespace: string, endpoint?: string): Webhooks;
  jobs(namespace: string, options?: Pick<JobsOptions, 'newUuid' | 'namesOnly'>): Jobs;
  newJobs(namespace: string): NewJobs;
}

export function createAdministration(deps: {
  /** Sends every call as the user. */
  readonly kube: KubeClient;
  readonly clock: Clock;
}): Administration {
  const { kube, clock } = deps;
  const projects = createUserClient(kube, RESOURCES.zipProjects);
  const secrets = createUserClient(kube, RESOURCES.secrets);
  const zipJobs = createUserClient(kube, RESOURCES.zipJobs);
  const buckets = createUserClient(kube, RESOURCES.zipBuckets);
  const tokens = createUserClient(kube, RESOURCES.zipTokens);
  return {
    projects: () => {
      const namespaces = createUserClient(kube, RESOURCES.namespaces);
      return createProjects({ projects, namespaces, tokens, buckets, secrets, clock });
    },
    buckets: (namespace) => createBuckets({ projects, buckets, secrets, kube, clock }, namespace),
    tokens: (namespace) => createTokens({ projects, tokens, clock, whoAmI: createWhoAmI(kube) }, namespace),
    webhooks: (namespace, endpoint) => createWebhooks({ projects, secrets, clock }, namespace, endpoint),
    jobs: (namespace, options) => createJobs({ kube, zipJobs, clock, ...options }, namespace),
    newJobs: (namespace) => createNewJobs({ projects, buckets, secrets, zipJobs }, namespace),
  };
}
