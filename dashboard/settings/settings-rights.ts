import { PROJECT_NAME } from '#crds/api-group.ts';
import type { Question } from '../user/access.ts';

/** Permissions that each operation on the settings needs. */
export const SETTINGS_RIGHTS = {
  change: [{ verb: 'patch', resource: 'zipprojects', name: PROJECT_NAME }],
  delete: [{ verb: 'delete', resource: 'zipprojects', name: PROJECT_NAME }],
  deleteTokens: [
    { verb: 'list', resource: 'ziptokens' },
    { verb: 'delete', resource: 'ziptokens' },
  ],
  deleteBuckets: [
    { verb: 'list', resource: 'zipbuckets' },
    { verb: 'get', resource: 'zipbuckets' },
    { verb: 'delete', resource: 'zipbuckets' },
    { verb: 'delete', resource: 'secrets', group: '' },
    { verb: 'patch', resource: 'secrets', group: '' },
  ],
  usage: [{ verb: 'list', resource: 'zipjobs' }],
  access: [{ verb: 'list', resource: 'rolebindings', group: 'rbac.authorization.k8s.io' }],
} as const satisfies Record<string, readonly Question[]>;
