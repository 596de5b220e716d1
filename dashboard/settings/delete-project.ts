import { hasCode } from '#administration/errors/administration-error.ts';
import type { DeletedProject } from '#administration/projects/delete-project.ts';
import { isFinished } from '#crds/zip-job.ts';
import type { Flash, GoTo, PageRequest, Route, ShownPage } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { ALL, NAMESPACE_INDEX } from '../live/caches.ts';
import { EMPTY_FORM, type FormState, formErrors, formStatus } from '../ui/form.ts';
import { FORMAT } from '../ui/format.ts';
import { reasonAgainst } from '../user/reason-against.ts';
import { SETTINGS_PATH, settingsHref, settingsTrail } from './settings-paths.ts';
import { SETTINGS_RIGHTS } from './settings-rights.ts';

type Deps = Pick<PageDeps, 'caches' | 'history'>;

const PATH = `${SETTINGS_PATH}/delete`;
/** Problems in the message after the deletion; it is stored in a cookie. */
const MOST_PROBLEMS = 2;

function jobsOf({ caches }: Deps, namespace: string) {
  const jobs = caches.zipJobs.byIndex(NAMESPACE_INDEX, namespace, ALL);
  const unfinished = jobs.filter((job) => !isFinished(job)).length;
  return { unfinished, finished: jobs.length - unfinished };
}

/** What the user may delete together with the project. Null: not allowed. */
async function countsOf(request: PageRequest) {
  const { administration } = request.user;
  const [noTokens, noBuckets] = await Promise.all([
    reasonAgainst(request, SETTINGS_RIGHTS.deleteTokens),
    reasonAgainst(request, SETTINGS_RIGHTS.deleteBuckets),
  ]);
  const [tokens, buckets] = await Promise.all([
    noTokens === '' ? administration.tokens(request.namespace).list() : null,
    noBuckets === '' ? administration.buckets(request.namespace).list() : null,
  ]);
  return { tokens: tokens?.length ?? null, buckets: buckets?.length ?? null };
}

async function show(deps: Deps, request: PageRequest, form: FormState): Promise<ShownPage> {
  const { namespace, user } = request;
  const { displayName } = await user.administration.projects().show(namespace);
  const title = `Delete ${displayName ?? namespace}`;
  return {
    kind: 'page',
    view: '/settings/delete-project',
    title,
    trail: settingsTrail(namespace),
    section: 'settings',
    data: {
      title,
      namespace,
      jobs: jobsOf(deps, namespace),
      ...(await countsOf(request)),
      hasHistory: deps.history !== undefined,
      form,
      href: settingsHref(namespace, 'delete'),
      back: settingsHref(namespace),
    },
    status: formStatus(form.errors),
  };
}

function flashOf(namespace: string, { tokens, buckets, problems }: DeletedProject): Flash {
  const also = [
    ...(tokens > 0 ? [FORMAT.count(tokens, 'access token')] : []),
    ...(buckets > 0 ? [FORMAT.count(buckets, 'bucket')] : []),
  ];
  const text = `Deleting project ${namespace}${also.length === 0 ? '' : ` with ${also.join(' and ')}`}. Its jobs are being cancelled.`;
  if (problems.length === 0) return { kind: 'done', text };
  return { kind: 'failed', text: `${text} Not deleted: ${problems.slice(0, MOST_PROBLEMS).join('; ')}` };
}

async function post(deps: Deps, request: PageRequest): Promise<ShownPage | GoTo> {
  const { namespace, form, user } = request;
  const values = { tokens: form.get('tokens') ?? '', buckets: form.get('buckets') ?? '' };
  if ((form.get('confirm') ?? '').trim() !== namespace)
    return show(deps, request, { values, errors: { confirm: `Type ${namespace} to delete the project` } });
  try {
    const deleted = await user.administration.projects().delete(namespace, {
      tokens: values.tokens === 'yes',
      buckets: values.buckets === 'yes',
    });
    return { kind: 'go', to: '/projects', flash: flashOf(namespace, deleted) };
  } catch (error) {
    if (hasCode(error, 'NotFound')) throw error;
    return show(deps, request, { values, errors: formErrors(error) });
  }
}

/** Deletes a project after the user has typed its namespace. */
export function createDeleteProjectPage(deps: Deps): readonly Route[] {
  return [
    {
      method: 'GET',
      path: PATH,
      needs: SETTINGS_RIGHTS.delete,
      handle: (request) => show(deps, request, { ...EMPTY_FORM, values: { tokens: 'yes', buckets: 'yes' } }),
    },
    { method: 'POST', path: PATH, needs: SETTINGS_RIGHTS.delete, handle: (request) => post(deps, request) },
  ];
}
