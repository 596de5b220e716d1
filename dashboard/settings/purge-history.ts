import type { GoTo, PageRequest, Route, ShownPage } from '../http/page.ts';
import { EMPTY_FORM, type FormState, formErrors, formStatus } from '../ui/form.ts';
import { SETTINGS_PATH, settingsHref, settingsTrail } from './settings-paths.ts';
import { SETTINGS_RIGHTS } from './settings-rights.ts';

const PATH = `${SETTINGS_PATH}/purge-history`;
const TITLE = 'Delete history';

function show({ namespace }: PageRequest, errors: FormState['errors']): ShownPage {
  return {
    kind: 'page',
    view: '/settings/purge-history',
    title: TITLE,
    trail: settingsTrail(namespace),
    section: 'settings',
    data: {
      title: TITLE,
      namespace,
      form: { values: {}, errors },
      href: settingsHref(namespace, 'purge-history'),
      back: settingsHref(namespace),
    },
    status: formStatus(errors),
  };
}

async function post(request: PageRequest): Promise<ShownPage | GoTo> {
  const { namespace, form, user } = request;
  if ((form.get('confirm') ?? '').trim() !== namespace)
    return show(request, { confirm: `Type ${namespace} to delete the history` });
  try {
    await user.administration.projects().beginPurgeHistory(namespace);
  } catch (error) {
    return show(request, formErrors(error));
  }
  const text = 'Deleting the history. This page shows the progress.';
  return { kind: 'go', to: `${settingsHref(namespace)}#retention`, flash: { kind: 'done', text } };
}

/** Deletes all records of a project from the history; the controller does it in the background. */
export function createPurgeHistoryPage(): readonly Route[] {
  return [
    {
      method: 'GET',
      path: PATH,
      needs: SETTINGS_RIGHTS.change,
      handle: (request) => Promise.resolve(show(request, EMPTY_FORM.errors)),
    },
    { method: 'POST', path: PATH, needs: SETTINGS_RIGHTS.change, handle: post },
  ];
}
