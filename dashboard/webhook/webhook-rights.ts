import { PROJECT_NAME } from '#crds/api-group.ts';
import type { Question } from '../user/access.ts';

function secrets(verb: Question['verb']): Question {
  return { verb, resource: 'secrets', group: '' };
}

const CHANGE: Question = { verb: 'patch', resource: 'zipprojects', name: PROJECT_NAME };

/** Permissions that each webhook operation needs: the settings are in the ZipProject, the signing secret in a Secret. */
export const WEBHOOK_RIGHTS = {
  set: [CHANGE, secrets('create'), secrets('patch')],
  change: [CHANGE],
  rotate: [secrets('get'), secrets('patch')],
  remove: [CHANGE, secrets('delete')],
  /** Of an endpoint other than the default one: the Secret keeps what the others have. */
  removeEndpoint: [CHANGE, secrets('patch')],
  log: [{ verb: 'list', resource: 'zipjobs' }],
  delivery: [{ verb: 'get', resource: 'zipjobs' }],
  resend: [
    { verb: 'list', resource: 'zipjobs' },
    { verb: 'get', resource: 'zipjobs' },
    { verb: 'patch', resource: 'zipjobs' },
  ],
} as const satisfies Record<string, readonly Question[]>;
