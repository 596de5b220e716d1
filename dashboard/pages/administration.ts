import { type Buckets, createBuckets } from '#administration/buckets.ts';
import { createPersonClient } from '#administration/person-client.ts';
import { createProjects, type Projects } from '#administration/projects.ts';
import { createTokens, type Tokens, type TokensOptions } from '#administration/tokens.ts';
import { createWebhooks, type Webhooks } from '#administration/webhooks.ts';
import { createWhoAmI } from '#administration/who-am-i.ts';
import { systemClock } from '#runtime/clock.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import type { PageRequest } from '../page.ts';
import type { Person } from '../person/person.ts';

type RequestOfProject = Pick<PageRequest, 'person' | 'namespace'>;

/** Operations on projects, with the token of the user. */
export const projectsOf = ({ kube }: Pick<Person, 'kube'>): Projects =>
  createProjects({
    projects: createPersonClient(kube, RESOURCES.zipProjects),
    namespaces: createPersonClient(kube, RESOURCES.namespaces),
    clock: systemClock,
  });

/** Operations on the buckets of the page's project, with the token of the user. */
export const bucketsOf = ({ person: { kube }, namespace }: RequestOfProject): Buckets =>
  createBuckets(
    {
      projects: createPersonClient(kube, RESOURCES.zipProjects),
      buckets: createPersonClient(kube, RESOURCES.zipBuckets),
      secrets: createPersonClient(kube, RESOURCES.secrets),
      zipJobs: createPersonClient(kube, RESOURCES.zipJobs),
      clock: systemClock,
    },
    namespace,
  );

/** Operations on the access tokens of the page's project, with the token of the user. */
export const tokensOf = (
  { person: { kube }, namespace }: RequestOfProject,
  options: Pick<TokensOptions, 'onRevoked'> = {},
): Tokens =>
  createTokens(
    {
      ...options,
      projects: createPersonClient(kube, RESOURCES.zipProjects),
      tokens: createPersonClient(kube, RESOURCES.zipTokens),
      whoAmI: createWhoAmI(kube),
    },
    namespace,
  );

/** Operations on the webhook of the page's project, with the token of the user. */
export const webhooksOf = ({ person: { kube }, namespace }: RequestOfProject): Webhooks =>
  createWebhooks(
    {
      projects: createPersonClient(kube, RESOURCES.zipProjects),
      secrets: createPersonClient(kube, RESOURCES.secrets),
      clock: systemClock,
    },
    namespace,
  );
