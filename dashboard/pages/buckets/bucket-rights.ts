import type { Question } from '../../user/access.ts';

const secrets = (verb: Question['verb']): Question => ({ verb, resource: 'secrets', group: '' });

/** Permissions that each bucket operation needs; the credentials are in Secrets. */
export const BUCKET_RIGHTS = {
  list: [{ verb: 'list', resource: 'zipbuckets' }],
  see: [{ verb: 'get', resource: 'zipbuckets' }],
  add: [{ verb: 'create', resource: 'zipbuckets' }, secrets('create'), secrets('patch')],
  setCredentials: [
    { verb: 'get', resource: 'zipbuckets' },
    { verb: 'patch', resource: 'zipbuckets' },
    secrets('create'),
    secrets('patch'),
  ],
  edit: [
    { verb: 'get', resource: 'zipbuckets' },
    { verb: 'patch', resource: 'zipbuckets' },
  ],
  test: [
    { verb: 'get', resource: 'zipbuckets' },
    { verb: 'patch', resource: 'zipbuckets' },
  ],
  delete: [
    { verb: 'get', resource: 'zipbuckets' },
    { verb: 'delete', resource: 'zipbuckets' },
    { verb: 'patch', resource: 'zipbuckets' },
    { verb: 'list', resource: 'zipjobs' },
    secrets('delete'),
  ],
} as const satisfies Record<string, readonly Question[]>;
