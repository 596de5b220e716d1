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

type Asked = Pick<PageRequest, 'person' | 'namespace'>;

/** What can be done with projects, as the person. */
export const projectsOf = ({ kube }: Pick<Person, 'kube'>): Projects =>
  createProjects({
    projects: createPersonClient(kube, RESOURCES.zipProjects),
    namespaces: createPersonClient(kube, RESOURCES.namespaces),
    clock: systemClock,
  });

/** The buckets of the project of a page, as the person. */
export const bucketsOf = ({ person: { kube }, namespace }: Asked): Buckets =>
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

/** The access tokens of the project of a page, as the person. */
export const tokensOf = (
  { person: { kube }, namespace }: Asked,
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

/** The webhook of the project of a page, as the person. */
export const webhooksOf = ({ person: { kube }, namespace }: Asked): Webhooks =>
  createWebhooks(
    {
      projects: createPersonClient(kube, RESOURCES.zipProjects),
      secrets: createPersonClient(kube, RESOURCES.secrets),
      clock: systemClock,
    },
    namespace,
  );
