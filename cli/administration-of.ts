import { type Buckets, createBuckets } from '#administration/buckets.ts';
import { createJobs, type Jobs } from '#administration/jobs.ts';
import { createPersonClient } from '#administration/person-client.ts';
import { createProjects, type Projects } from '#administration/projects.ts';
import { createTokens, type Tokens } from '#administration/tokens.ts';
import { createWebhooks, type Webhooks } from '#administration/webhooks.ts';
import { createWhoAmI } from '#administration/who-am-i.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import type { Session } from './session.ts';

type KubeSession = Pick<Session, 'kube' | 'clock'>;

export const projectsOf = ({ kube, clock }: KubeSession): Projects =>
  createProjects({
    projects: createPersonClient(kube, RESOURCES.zipProjects),
    namespaces: createPersonClient(kube, RESOURCES.namespaces),
    clock,
  });

/** For the project of the session. */
export const bucketsOf = ({ kube, clock, namespace }: Session): Buckets => {
  const options = {
    projects: createPersonClient(kube, RESOURCES.zipProjects),
    buckets: createPersonClient(kube, RESOURCES.zipBuckets),
    secrets: createPersonClient(kube, RESOURCES.secrets),
    zipJobs: createPersonClient(kube, RESOURCES.zipJobs),
    clock,
  };
  return createBuckets(options, namespace);
};

/** For the project of the session. */
export const tokensOf = ({ kube, namespace }: Session): Tokens => {
  const options = {
    projects: createPersonClient(kube, RESOURCES.zipProjects),
    tokens: createPersonClient(kube, RESOURCES.zipTokens),
    whoAmI: createWhoAmI(kube),
  };
  return createTokens(options, namespace);
};

/** For the project of the session. */
export const webhooksOf = ({ kube, clock, namespace }: Session): Webhooks => {
  const options = {
    projects: createPersonClient(kube, RESOURCES.zipProjects),
    secrets: createPersonClient(kube, RESOURCES.secrets),
    clock,
  };
  return createWebhooks(options, namespace);
};

/** For the project of the session. */
export const jobsOf = ({ kube, clock, namespace }: Session): Jobs =>
  createJobs({ kube, clock, zipJobs: createPersonClient(kube, RESOURCES.zipJobs) }, namespace);
