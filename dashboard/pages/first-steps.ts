import type { Bucket } from '#administration/bucket-view.ts';
import { FORMAT } from '../format.ts';
import type { PageRequest, Route } from '../page.ts';
import { BUCKET_RIGHTS } from './buckets/bucket-rights.ts';
import { newBucketHref } from './buckets/new-bucket.ts';
import { firstCommands, firstRequest } from './first-request.ts';
import type { PageDeps } from './page-deps.ts';
import { projectOf } from './project-of.ts';
import { reasonAgainst } from './reason-against.ts';
import { TOKEN_RIGHTS } from './tokens/token-rights.ts';

/** Prefers a bucket whose last test passed. */
const bestOf = (buckets: readonly Bucket[]): Bucket | undefined => {
  const usable = buckets.filter(({ deletingSince }) => deletingSince === null);
  return usable.find(({ lastTest }) => lastTest?.ok === true) ?? usable[0];
};

const dataOf = async ({ caches, config }: PageDeps, request: PageRequest) => {
  const { namespace } = request;
  const [list, add, token] = await Promise.all([
    reasonAgainst(request, BUCKET_RIGHTS.list),
    reasonAgainst(request, BUCKET_RIGHTS.add),
    reasonAgainst(request, TOKEN_RIGHTS.create),
  ]);
  const bucket =
    list === '' ? bestOf(await request.user.administration.buckets(request.namespace).list()) : undefined;
  const values = { apiUrl: config.dashboardApiUrl, namespace, bucket };
  return {
    ...projectOf(caches.zipProjects, namespace),
    bucket,
    reasons: { add, token },
    hrefs: {
      bucket: newBucketHref(namespace),
      token: FORMAT.path('projects', namespace, 'new-token'),
      jobs: FORMAT.path('projects', namespace, 'jobs'),
    },
    isAddressKnown: config.dashboardApiUrl !== '',
    request: firstRequest(values),
    commands: firstCommands(values),
  };
};

/** The guide to the first archive, filled in with the values of the project. */
export const createFirstStepsPage = (deps: PageDeps): readonly Route[] => [
  {
    method: 'GET',
    path: '/projects/:project/first-steps',
    handle: async (request) => ({
      kind: 'page',
      view: '/pages/first-steps',
      title: 'First steps',
      section: 'first-steps',
      data: await dataOf(deps, request),
    }),
  },
];
