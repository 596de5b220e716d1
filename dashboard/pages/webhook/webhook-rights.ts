import { PROJECT_NAME } from '#crds/api-group.ts';
import type { Question } from '../../person/access.ts';

const secrets = (verb: Question['verb']): Question => ({ verb, resource: 'secrets', group: '' });
const CHANGE: Question = { verb: 'patch', resource: 'zipprojects', name: PROJECT_NAME };

/** What each thing that can be done with the webhook takes: its settings are in the ZipProject, its secret in a Secret. */
export const WEBHOOK_RIGHTS = {
  set: [CHANGE, secrets('create')],
  change: [CHANGE],
  rotate: [secrets('get'), secrets('patch')],
  remove: [CHANGE, secrets('delete')],
  log: [{ verb: 'list', resource: 'zipjobs' }],
} as const satisfies Record<string, readonly Question[]>;
