import type { GoTo, PageRequest, Route, ShownPage } from '../http/page.ts';
import { EMPTY_FORM, type FormState, formErrors, formStatus } from '../ui/form.ts';
import { FORMAT } from '../ui/format.ts';
import { sectionCrumb } from '../ui/menu.ts';
import { lastUse } from './last-use.ts';
import { TOKEN_RIGHTS } from './token-rights.ts';

const PATH = '/projects/:project/tokens/:token/revoke';

function idOf({ params }: PageRequest): string {
  return params['token'] ?? '';
}

async function show(request: PageRequest, errors: FormState['errors']): Promise<ShownPage> {
  const { namespace, now } = request;
  const token = await request.user.administration.tokens(request.namespace).find(idOf(request));
  return {
    kind: 'page',
    view: '/tokens/revoke-token',
    title: `Revoke ${token.name ?? token.id}`,
    section: 'tokens',
    trail: [sectionCrumb(namespace, 'tokens')],
    data: {
      token,
      form: { values: {}, errors },
      used: lastUse(token.lastUsedAt, now),
      href: FORMAT.path('projects', namespace, 'tokens', token.id, 'revoke'),
      back: FORMAT.path('projects', namespace, 'tokens'),
    },
    status: formStatus(errors),
  };
}

async function post(request: PageRequest): Promise<ShownPage | GoTo> {
  try {
    const { id, name } = await request.user.administration.tokens(request.namespace).revoke(idOf(request));
    const text = `Token ${name ?? id} revoked`;
    const to = FORMAT.path('projects', request.namespace, 'tokens');
    return { kind: 'go', to, flash: { kind: 'done', text } };
  } catch (error) {
    return show(request, formErrors(error));
  }
}

/** The page that revokes an access token, after a warning. */
export function createRevokeTokenPage(): readonly Route[] {
  return [
    {
      method: 'GET',
      path: PATH,
      needs: TOKEN_RIGHTS.revoke,
      handle: (request) => show(request, EMPTY_FORM.errors),
    },
    { method: 'POST', path: PATH, needs: TOKEN_RIGHTS.revoke, handle: post },
  ];
}
