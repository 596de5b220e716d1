import type { Question } from '../user/access.ts';

/** Permissions that each operation on access tokens needs. */
export const TOKEN_RIGHTS = {
  list: [{ verb: 'list', resource: 'ziptokens' }],
  create: [{ verb: 'create', resource: 'ziptokens' }],
  revoke: [
    { verb: 'list', resource: 'ziptokens' },
    { verb: 'delete', resource: 'ziptokens' },
  ],
} as const satisfies Record<string, readonly Question[]>;
