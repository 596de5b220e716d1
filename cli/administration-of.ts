import { type Buckets, createBuckets } from '#administration/buckets.ts';
import { createJobs, type Jobs } from '#administration/jobs.ts';
import { createProjects, type Projects } from '#administration/projects.ts';
import { createTokens, type Tokens } from '#administration/tokens.ts';
import { createUserClient } from '#administration/user-client.ts';
import { createWebhooks, type Webhooks } from '#administration/webhooks.ts';
import { createWhoAmI } from '#administration/who-am-i.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import type { Session } from './session.ts';

type KubeSession = Pick<Session, 'kube' | 'clock'>;

export const projectsOf = ({ kube, clock }: KubeSession): Projects =>
  createProjects({
    projects: createUserClient(kube, RESOURCES.zipProjects),
    namespaces: createUserClient(kube, RESOURCES.namespaces),
    clock,
  });

/** For the project of the session. */
export const bucketsOf = ({ kube, clock, namespace }: Session): Buckets => {
  const options = {
    projects: createUserClient(kube, RESOURCES.zipProjects),
    buckets: createUserClient(kube, RESOURCES.zipBuckets),
    secrets: createUserClient(kube, RESOURCES.secrets),
    zipJobs: createUserClient(kube, RESOURCES.zipJobs),
    clock,
  };
  return createBuckets(options, namespace);
};

/** For the project of the session. */
export const tokensOf = ({ kube, namespace }: Session): Tokens => {
  const options = {
    projects: createUserClient(kube, RESOURCES.zipProjects),
    tokens: createUserClient(kube, RESOURCES.zipTokens),
    whoAmI: createWhoAmI(kube),
  };
  return createTokens(options, namespace);
};

/** For the project of the session. */
export const webhooksOf = ({ kube, clock, namespace }: Session): Webhooks => {
  const options = {
    projects: createUserClient(kube, RESOURCES.zipProjects),
    secrets: createUserClient(kube, RESOURCES.secrets),
    clock,
  };
  return createWebhooks(options, namespace);
};

/** For the project of the session. */
export const jobsOf = ({ kube, clock, namespace }: Session): Jobs =>
  createJobs({ kube, clock, zipJobs: createUserClient(kube, RESOURCES.zipJobs) }, namespace);
