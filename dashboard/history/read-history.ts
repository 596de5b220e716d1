import type { Question } from '../user/access.ts';

/** Permissions for the history of a project: those of its list of jobs. */
export const READ_HISTORY: readonly Question[] = [{ verb: 'list', resource: 'zipjobs' }];
