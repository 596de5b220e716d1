import { randomUUID } from 'node:crypto';
import { hasCode } from '#administration/errors/administration-error.ts';
import { IncompleteJobError, type NewJobRules } from '#administration/jobs/new-jobs.ts';
import { isUuid } from '#crds/zip-job-facts.ts';
import type { GoTo, PageRequest, Route, ShownPage } from '../http/page.ts';
import type { PageDeps } from '../http/page-deps.ts';
import { chosenBucket } from '../new-job/bucket-choices.ts';
import { NEW_JOB_RIGHTS, newJobRules } from '../new-job/job-rules.ts';
import { EMPTY_FORM, filledIn, formErrors, formStatus } from '../ui/form.ts';
import { SECTION_LABELS } from '../ui/words.ts';
import { guideHref, readGuide, type TestForm } from './guide.ts';
import { testArchive } from './test-archive.ts';

const PATH = '/projects/:project/first-steps';
const TEST_PATH = `${PATH}/test-archive`;

async function show(deps: PageDeps, request: PageRequest, form: TestForm): Promise<ShownPage> {
  return {
    kind: 'page',
    view: '/first-steps/first-steps',
    title: SECTION_LABELS['first-steps'],
    section: 'first-steps',
    data: await readGuide(deps, request, form),
    status: formStatus(form.errors),
  };
}

async function createTest(
  deps: PageDeps,
  rules: NewJobRules,
  request: PageRequest,
): Promise<ShownPage | GoTo> {
  const { namespace, user, form, now } = request;
  const values = filledIn(form, 'bucket');
  const given = form.get('uuid') ?? '';
  const uuid = isUuid(given) ? given : randomUUID();
  const job = testArchive(chosenBucket(values['bucket'] ?? ''), uuid, now);
  function done(text: string): GoTo {
    return {
      kind: 'go',
      to: guideHref(namespace),
      flash: { kind: 'done', text },
    };
  }
  try {
    await user.administration.newJobs(namespace).create(job, rules);
    return done('The job for the test archive was created.');
  } catch (error) {
    if (hasCode(error, 'AlreadyExists')) return done('This form has already created the job.');
    const [message = ''] = Object.values(formErrors(error));
    return show(deps, request, {
      values,
      errors: { bucket: message },
      uuid: error instanceof IncompleteJobError ? uuid : undefined,
    });
  }
}

/** The guide to the first archive, filled in with the values of the project. */
export function createFirstStepsPage(deps: PageDeps): readonly Route[] {
  const rules = newJobRules(deps);
  return [
    { method: 'GET', path: PATH, handle: (request) => show(deps, request, EMPTY_FORM) },
    {
      method: 'GET',
      path: '/projects/:project/live/first-steps',
      handle: async (request) => ({
        kind: 'fragment',
        view: '/first-steps/steps',
        data: await readGuide(deps, request),
      }),
    },
    {
      method: 'POST',
      path: TEST_PATH,
      needs: NEW_JOB_RIGHTS,
      handle: (request) => createTest(deps, rules, request),
    },
  ];
}
