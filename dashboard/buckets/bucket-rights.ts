import type { Question } from '../user/access.ts';

function secrets(verb: Question['verb']): Question {
  return { verb, resource: 'secrets', group: '' };
}

/** Permissions that each bucket operation needs. */
export const BUCKET_RIGHTS = {
  list: [{ verb: 'list', resource: 'zipbuckets' }],
  see: [{ verb: 'get', resource: 'zipbuckets' }],
  add: [{ verb: 'create', resource: 'zipbuckets' }],
  setCredentials: [
    { verb: 'get', resource: 'zipbuckets' },
    { verb: 'patch', resource: 'zipbuckets' },
  ],
  /** In a Secret. A bucket with a role has no stored keys. */
  storeKeys: [secrets('create'), secrets('patch')],
  edit: [
    { verb: 'get', resource: 'zipbuckets' },
    { verb: 'patch', resource: 'zipbuckets' },
  ],
  /** Only admins of the project: the policy `readable-buckets` asks for the last one. */
  allowReading: [
    { verb: 'get', resource: 'zipbuckets' },
    { verb: 'patch', resource: 'zipbuckets' },
    { verb: 'read-sources', resource: 'zipbuckets' },
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
    // A forced deletion leaves the keys to the jobs that still need them.
    secrets('patch'),
  ],
} as const satisfies Record<string, readonly Question[]>;
