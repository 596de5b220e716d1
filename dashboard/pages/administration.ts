import { type Buckets, createBuckets } from '#administration/buckets.ts';
import { createProjects, type Projects } from '#administration/projects.ts';
import { createTokens, type Tokens } from '#administration/tokens.ts';
import { createUserClient } from '#administration/user-client.ts';
import { createWebhooks, type Webhooks } from '#administration/webhooks.ts';
import { createWhoAmI } from '#administration/who-am-i.ts';
import { systemClock } from '#runtime/clock.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import type { PageRequest } from '../page.ts';
import type { User } from '../user/user.ts';

type RequestOfProject = Pick<PageRequest, 'user' | 'namespace'>;

/** Operations on projects, with the token of the user. */
export const projectsOf = ({ kube }: Pick<User, 'kube'>): Projects =>
  createProjects({
    projects: createUserClient(kube, RESOURCES.zipProjects),
    namespaces: createUserClient(kube, RESOURCES.namespaces),
    clock: systemClock,
  });

/** Operations on the buckets of the page's project, with the token of the user. */
export const bucketsOf = ({ user: { kube }, namespace }: RequestOfProject): Buckets =>
  createBuckets(
    {
      projects: createUserClient(kube, RESOURCES.zipProjects),
      buckets: createUserClient(kube, RESOURCES.zipBuckets),
      secrets: createUserClient(kube, RESOURCES.secrets),
      zipJobs: createUserClient(kube, RESOURCES.zipJobs),
      clock: systemClock,
    },
    namespace,
  );

/** Operations on the access tokens of the page's project, with the token of the user. */
export const tokensOf = ({ user: { kube }, namespace }: RequestOfProject): Tokens =>
  createTokens(
    {
      projects: createUserClient(kube, RESOURCES.zipProjects),
      tokens: createUserClient(kube, RESOURCES.zipTokens),
      whoAmI: createWhoAmI(kube),
    },
    namespace,
  );

/** Operations on the webhook of the page's project, with the token of the user. */
export const webhooksOf = ({ user: { kube }, namespace }: RequestOfProject): Webhooks =>
  createWebhooks(
    {
      projects: createUserClient(kube, RESOURCES.zipProjects),
      secrets: createUserClient(kube, RESOURCES.secrets),
      clock: systemClock,
    },
    namespace,
  );
