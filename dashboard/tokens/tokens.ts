import type { PageRequest, Route } from '../http/page.ts';
import { FORMAT } from '../ui/format.ts';
import { paged } from '../ui/paged.ts';
import { reasonAgainst } from '../user/reason-against.ts';
import { lastUse } from './last-use.ts';
import { TOKEN_RIGHTS } from './token-rights.ts';

async function dataOf(request: PageRequest) {
  const { namespace, now } = request;
  const [tokens, create, revoke] = await Promise.all([
    request.user.administration.tokens(request.namespace).list(),
    reasonAgainst(request, TOKEN_RIGHTS.create),
    reasonAgainst(request, TOKEN_RIGHTS.revoke),
  ]);
  const { rows: shown, paging } = paged(tokens, FORMAT.path('projects', namespace, 'tokens'), request.query);
  const rows = shown.map((token) => ({
    token,
    used: lastUse(token.lastUsedAt, now),
    revoke: FORMAT.path('projects', namespace, 'tokens', token.id, 'revoke'),
  }));
  return {
    namespace,
    rows,
    paging,
    reasons: { create, revoke },
    create: FORMAT.path('projects', namespace, 'new-token'),
  };
}

/** The access tokens of a project, masked. */
export function createTokensPage(): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/projects/:project/tokens',
      needs: TOKEN_RIGHTS.list,
      handle: async (request) => ({
        kind: 'page',
        view: '/tokens/tokens',
        title: 'Access tokens',
        section: 'tokens',
        data: await dataOf(request),
      }),
    },
  ];
}
